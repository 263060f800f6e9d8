// Asserts that a call is refused: the type of the exception and every word of its message.
#ifndef KOKKOSKV_TEST_REFUSAL_HPP
#define KOKKOSKV_TEST_REFUSAL_HPP

#include <gtest/gtest.h>

#include <cache/KokkosKV_Errors.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace KokkosKVTest {

template <class Error, class Call>
void expect_refusal(std::string const& message, Call const& call) {
  static_assert(std::is_base_of_v<std::invalid_argument, Error>);
  try {
    call();
    ADD_FAILURE() << "accepted what should be refused with: " << message;
  } catch (Error const& error) {
    EXPECT_EQ(error.what(), message);
    EXPECT_NE(message.find(": " + error.argument() + ": found "), std::string::npos);
  } catch (std::exception const& error) {
    ADD_FAILURE() << "refused with another type of exception: " << error.what();
  }
}

}  // namespace KokkosKVTest

#endif
