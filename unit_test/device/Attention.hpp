// Functors for the device instantiations of attention.
#ifndef KOKKOSKV_TEST_DEVICE_ATTENTION_HPP
#define KOKKOSKV_TEST_DEVICE_ATTENTION_HPP

#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

struct SomeKeys {
  KOKKOS_FUNCTION bool operator()(KokkosKV::AttentionIndex const& at) const {
    return (at.key_position + at.row) % 5 != 0;
  }
};

struct ByDistance {
  KOKKOS_FUNCTION float operator()(KokkosKV::AttentionIndex const& at, float logit) const {
    return logit - 0.5f * static_cast<float>(at.query_position - at.key_position);
  }
};

}  // namespace KokkosKVTest::device

#endif
