// Host vectors to the device and back, and comparison of all their bits.
#ifndef KOKKOSKV_TEST_ARRAYS_HPP
#define KOKKOSKV_TEST_ARRAYS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

namespace KokkosKVTest {

template <class T>
using HostVector = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T, class MemorySpace>
void copy_to_device(Kokkos::View<T*, MemorySpace> const& to, std::vector<T> const& from) {
  Kokkos::deep_copy(to, HostVector<T const>(from.data(), from.size()));
}

template <class MemorySpace, class T>
Kokkos::View<T*, MemorySpace> to_device(std::vector<T> const& values) {
  Kokkos::View<T*, MemorySpace> const result(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "KokkosKVTest::array"), values.size());
  copy_to_device(result, values);
  return result;
}

template <class T, class MemorySpace>
std::vector<T> to_host(Kokkos::View<T*, MemorySpace> const& values) {
  std::vector<T> result(values.size());
  Kokkos::deep_copy(HostVector<T>(result.data(), result.size()), values);
  return result;
}

/// Writes the bytes of an element, highest first.
template <class T>
std::string hex(T const& value) {
  std::ostringstream text;
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  text << "0x" << std::hex << std::setfill('0');
  for (std::size_t i = sizeof(T); i-- > 0;) text << std::setw(2) << static_cast<unsigned>(bytes[i]);
  return text.str();
}

/// Compares bit for bit; `describe(index)` tells where the first difference lies.
template <class T, class Describe>
testing::AssertionResult same_bits(std::vector<T> const& found, std::vector<T> const& expected,
                                   Describe const& describe) {
  if (found.size() != expected.size()) {
    return testing::AssertionFailure() << found.size() << " elements, expected " << expected.size();
  }
  if (found.empty() || std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0) {
    return testing::AssertionSuccess();
  }
  std::size_t differences = 0, first = 0;
  for (std::size_t i = found.size(); i-- > 0;) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0) ++differences, first = i;
  }
  return testing::AssertionFailure()
         << differences << " of " << found.size() << " elements differ, the first is " << first
         << " (" << describe(first) << "): " << hex(found[first]) << ", expected "
         << hex(expected[first]);
}

}  // namespace KokkosKVTest

#endif
