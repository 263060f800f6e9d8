// A random rotary embedding of part or all of a head, with or without position ids.
#ifndef KOKKOSKV_TEST_PROJECTION_RANDOMROTATION_HPP
#define KOKKOSKV_TEST_PROJECTION_RANDOMROTATION_HPP

#include <cstdint>
#include <string>
#include <vector>

#include <ProjectionForms.hpp>
#include <RopeReference.hpp>
#include <projection/KokkosKV_PositionIds.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <reference/Random.hpp>
#include <reference/Reference.hpp>

namespace KokkosKVTest {

struct RandomRotation {
  KokkosKV::RopeParams params;
  bool has_ids;

  /// Of the batch's new rows: those of the cache, or any up to 2^20.
  std::vector<std::uint32_t> positions(Batch const& batch, Random& random) const {
    auto result = positions_of(batch);
    if (has_ids) {
      for (auto& position : result) {
        position = static_cast<std::uint32_t>(random.below((1u << 20) + 1));
      }
    }
    return result;
  }

  /// Calls `call(options…)` with the ids, where there are any, and perhaps `unchecked`.
  template <class Ids, class Call>
  void call(Ids const& ids, bool checked, Call const& call) const {
    using namespace KokkosKV;
    if (has_ids) {
      checked ? call(PositionIds{ids}) : call(unchecked, PositionIds{ids});
    } else {
      checked ? call() : call(unchecked);
    }
  }

  /// For SCOPED_TRACE.
  std::string describe() const {
    return "rotary_dim " + std::to_string(params.rotary_dim) + (has_ids ? ", position ids" : "") +
           (params.form == KokkosKV::RopeForm::interleaved ? ", interleaved" : ", half split");
  }
};

/// Whole heads as often as parts of them.
inline RandomRotation random_rotation(int head_size, Random& random) {
  auto const most  = head_size / 2;
  auto const pairs = random.chance(50) ? most : static_cast<int>(random.between(1, most));
  return {.params  = {.rotary_dim = 2 * pairs,
                      .form       = random.pick(
                         {KokkosKV::RopeForm::interleaved, KokkosKV::RopeForm::half_split})},
          .has_ids = random.chance(40)};
}

/// The formula with the library's frequencies, which have tests of their own.
template <class Frequencies>
ReferenceRope reference_of(Frequencies const& frequencies) {
  return {frequencies.inverse_frequencies(), frequencies.form() == KokkosKV::RopeForm::interleaved,
          frequencies.attention_factor()};
}

}  // namespace KokkosKVTest

#endif
