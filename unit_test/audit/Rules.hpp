// All rules that the headers of the library keep.
#ifndef KOKKOSKV_TEST_AUDIT_RULES_HPP
#define KOKKOSKV_TEST_AUDIT_RULES_HPP

#include <array>

#include "CaptureRules.hpp"
#include "DeviceRules.hpp"
#include "GlobalRules.hpp"
#include "LabelRules.hpp"
#include "MacroRules.hpp"

namespace KokkosKVTest {

struct Rule {
  char const* name;
  Findings (*find)(SourceText const& source);
};

inline constexpr std::array<Rule, 6> all_rules = {{
    {"device code calls no function of std", standard_functions},
    {"device code needs no run-time system of a host", host_features},
    {"no kernel captures this", captures},
    {"no globals but constants", globals},
    {"macros of the platform lie in one folder", macros},
    {"launches, fences and allocations are labelled", labels},
}};

}  // namespace KokkosKVTest

#endif
