// What a plan refuses, and how it gets its lengths.
#ifndef KOKKOSKV_IMPL_PLANCHECK_HPP
#define KOKKOSKV_IMPL_PLANCHECK_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_AttentionUnits.hpp>
#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV::Impl {

inline constexpr char const* plan_name = "AttentionPlan";

/// Contents of a rank 1 View of uint32.
template <class ExecSpace, class ViewType>
std::vector<std::uint32_t> to_host(ExecSpace const& exec, char const* name, ViewType const& view) {
  static_assert(ViewType::rank() == 1 &&
                    std::is_same_v<typename ViewType::non_const_value_type, std::uint32_t>,
                "KokkosKV: row offsets and lengths must be rank 1 Views of uint32");
  auto const* const data = contiguous_data(plan_name, name, view);
  std::vector<std::uint32_t> result(view.extent(0));
  using from_type = Kokkos::View<std::uint32_t const*, typename ViewType::memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using to_type =
      Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec, to_type(result.data(), result.size()), from_type(data, result.size()));
  exec.fence("KokkosKV::AttentionPlan::to_host");
  return result;
}

template <class Number>
void check_between(std::string const& argument, Number found, Number least, Number most) {
  if (found < least || found > most) {
    throw ShapeError(plan_name, argument, std::to_string(found),
                     std::to_string(least) + " to " + std::to_string(most));
  }
}

inline void check_shape(AttentionShape const& shape) {
  constexpr int largest_head = 576, largest_group = 64;
  auto const check = [](char const* name, int found, int least, int most) {
    check_between(std::string("shape.") + name, found, least, most);
  };
  check("num_kv_heads", shape.num_kv_heads, 1, std::numeric_limits<int>::max() / largest_group);
  check("num_query_heads", shape.num_query_heads, shape.num_kv_heads,
        shape.num_kv_heads * largest_group);
  if (shape.num_query_heads % shape.num_kv_heads != 0) {
    throw ShapeError(plan_name, "shape.num_query_heads", std::to_string(shape.num_query_heads),
                     "a multiple of num_kv_heads = " + std::to_string(shape.num_kv_heads));
  }
  check("head_size", shape.head_size, 1, largest_head);
  check("value_head_size", shape.value_head_size, 1, largest_head);
}

inline void check_prefixes(StepLengths const& lengths, std::vector<SharedPrefix> const& prefixes) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    auto const& prefix = prefixes[i];
    auto const name    = [i](char const* member) {
      return indexed("options.shared_prefixes", i) + "." + member;
    };
    auto const batch = lengths.batch_size();
    if (prefix.first_sequence < end || prefix.first_sequence >= batch) {
      throw ShapeError(plan_name, name("first_sequence"), std::to_string(prefix.first_sequence),
                       std::to_string(end) + " to " + std::to_string(batch - 1));
    }
    check_between<std::size_t>(name("num_sequences"), prefix.num_sequences, 1,
                               batch - prefix.first_sequence);
    end = prefix.first_sequence + prefix.num_sequences;
    for (auto b = prefix.first_sequence; b < end; ++b) {
      if (prefix.length < 1 || prefix.length > lengths.cache_lengths[b]) {
        throw RaggedError(plan_name, name("length"), std::to_string(prefix.length),
                          "1 to " + std::to_string(lengths.cache_lengths[b]) +
                              ", the cache length of sequence " + std::to_string(b));
      }
    }
  }
}

inline void check_plan(AttentionShape const& shape, StepLengths const& lengths,
                       AttentionPlanOptions const& options) {
  check_shape(shape);
  check_equal(plan_name, "input_row_offsets.extent(0)", lengths.offsets.size(),
              lengths.batch_size() + 1);
  if (lengths.offsets[0] != 0) {
    throw RaggedError(plan_name, indexed("input_row_offsets", 0),
                      std::to_string(lengths.offsets[0]), "0");
  }
  // Positions are compared as signed numbers by vector instructions.
  constexpr std::uint64_t most_tokens = std::numeric_limits<std::int32_t>::max();
  for (std::size_t b = 0; b < lengths.batch_size(); ++b) {
    auto const begin = lengths.offsets[b];
    auto const end   = lengths.offsets[b + 1];
    if (end < begin) {
      throw RaggedError(
          plan_name, indexed("input_row_offsets", b + 1), std::to_string(end),
          "at least " + indexed("input_row_offsets", b) + " = " + std::to_string(begin));
    }
    auto const tokens = std::uint64_t(lengths.cache_lengths[b]) + (end - begin);
    if (tokens > most_tokens) {
      throw RaggedError(plan_name, indexed("cache_lengths", b),
                        std::to_string(lengths.cache_lengths[b]),
                        "at most " + std::to_string(most_tokens - (end - begin)) + " with " +
                            std::to_string(end - begin) + " new rows");
    }
  }
  check_between("options.split_tokens", options.split_tokens, 64u, 1024u);
  check_prefixes(lengths, options.shared_prefixes);
}

}  // namespace KokkosKV::Impl

#endif
