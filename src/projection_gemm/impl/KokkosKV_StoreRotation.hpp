// What happens to queries and keys between their product and the cache: nothing, or a rotary
// embedding.
#ifndef KOKKOSKV_IMPL_STOREROTATION_HPP
#define KOKKOSKV_IMPL_STOREROTATION_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Unchecked.hpp>
#include <projection/KokkosKV_PositionIds.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <projection/impl/KokkosKV_RopeKernel.hpp>
#include <projection/impl/KokkosKV_RopeRows.hpp>
#include <projection_gemm/impl/KokkosKV_RowBlock.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

template <class Option>
inline constexpr bool is_frequencies_v = false;
template <class Space>
inline constexpr bool is_frequencies_v<RopeFrequencies<Space>> = true;

/// The options of a call: `unchecked`, RopeFrequencies, and with these PositionIds.
template <class... Options>
void check_matmul_options() {
  static_assert(((std::is_same_v<Options, unchecked_t> || is_frequencies_v<Options> ||
                  is_position_ids_v<Options>) &&
                 ...),
                "KokkosKV: the options of a product that is stored are KokkosKV::unchecked, "
                "KokkosKV::RopeFrequencies and KokkosKV::PositionIds");
  constexpr int num_frequencies = (static_cast<int>(is_frequencies_v<Options>) + ... + 0);
  constexpr int num_ids         = (static_cast<int>(is_position_ids_v<Options>) + ... + 0);
  static_assert(num_frequencies <= 1 && num_ids <= num_frequencies,
                "KokkosKV: frequencies and position ids are given once, position ids only with "
                "frequencies");
}

/// Queries and keys stay as they are.
struct NoRotation {
  template <class ExecSpace, class Cache, class Queries>
  void check(char const*, Queries const&) const {}

  template <class ExecSpace, class Queries>
  void rotate(std::string const&, ExecSpace const&, LaunchConfig, RaggedRows const&,
              Queries const&) const {}

  template <class ExecSpace, class... Transfers>
  void store(std::string const& label, ExecSpace const& exec, RaggedRowBlock const& block,
             LaunchConfig config, Transfers const&... transfers) const {
    launch_store(label, exec, block, config, transfers...);
  }
};

/// Queries are rotated where they lie, keys on their way into the cache.
template <class Frequencies>
struct RopeRotation {
  Frequencies const& frequencies;
  std::uint32_t const* position_ids;  ///< of the batch's rows, or null

  /// \param queries  NoQueries or QueryRows
  template <class ExecSpace, class Cache, class Queries>
  void check(char const* function, Queries const& queries) const {
    check_key_cache<Cache>();
    check_frequencies<ExecSpace>(function, frequencies, Cache::head_size);
    if constexpr (requires { queries.heads; }) {
      check_frequencies<ExecSpace>(function, frequencies, queries.heads.head_size,
                                   "the head size of queries");
    }
  }

  template <class ExecSpace, class Queries>
  void rotate(std::string const& label, ExecSpace const& exec, LaunchConfig config,
              RaggedRows const& rows, Queries const& queries) const {
    launch_rope(label + "::queries", exec, rows, config, RotatedInPlace{queries.heads}, frequencies,
                position_ids);
  }

  template <class ExecSpace, class Keys, class... Values>
  void store(std::string const& label, ExecSpace const& exec, RaggedRowBlock const& block,
             LaunchConfig config, Keys const& keys, Values const&... values) const {
    launch_rope(label + "::keys", exec, block, config, rotated_store(keys), frequencies,
                position_ids == nullptr ? nullptr : position_ids + block.first);
    if constexpr (sizeof...(Values) > 0) launch_store(label, exec, block, config, values...);
  }
};

template <class First, class... Rest>
auto const& frequencies_among(First const& first, Rest const&... rest) {
  if constexpr (is_frequencies_v<First>) {
    return first;
  } else {
    return frequencies_among(rest...);
  }
}

/// The rotation that a call's options ask for.
template <class ExecSpace, class... Options>
auto rotation_of(char const* function, std::size_t num_rows, Options const&... options) {
  check_matmul_options<Options...>();
  if constexpr ((is_frequencies_v<Options> || ...)) {
    auto const& frequencies = frequencies_among(options...);
    return RopeRotation<std::remove_cvref_t<decltype(frequencies)>>{
        frequencies, position_data<ExecSpace>(function, num_rows, options...)};
  } else {
    return NoRotation{};
  }
}

}  // namespace KokkosKV::Impl

#endif
