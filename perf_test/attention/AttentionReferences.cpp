// What the machine can do at best: reading memory and multiplying, on all threads.
#include "AttentionReferences.hpp"

#include <KokkosKV.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Perf {
namespace {

using Impl::FloatVector;
using Impl::host_lanes;
using Impl::WordVector;

template <class ExecSpace>
using range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>;

/// Part `i` of the bytes, on hosts.
struct ReadPart {
  char const* data;
  std::size_t bytes;
  std::size_t parts;

  void operator()(std::size_t part, std::uint32_t& total) const {
    constexpr int sums           = 8;
    constexpr std::size_t stride = sums * sizeof(WordVector);
    auto const strides           = bytes / stride;
    char const* from             = data + strides * part / parts * stride;
    char const* const end        = data + strides * (part + 1) / parts * stride;
    WordVector sum[sums]         = {};
    for (; from != end; from += stride) {
      Impl::unrolled<sums>([&](auto i) {
        WordVector words;
        __builtin_memcpy(&words, from + i * sizeof words, sizeof words);
        sum[i] += words;
      });
    }
    for (auto const& vector : sum) {
      for (int lane = 0; lane < host_lanes; ++lane) total += vector[lane];
    }
  }
};

/// Word `i` of the bytes, on devices.
struct ReadWord {
  std::uint32_t const* words;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint32_t& total) const { total += words[i]; }
};

/// Multiply-adds of a thread, on hosts. Independent sums hide the latency (four cycles and two or
/// more units); x86 without AVX-512 has 16 registers, which must do.
struct MultiplyAddVectors {
#if defined(__x86_64__) && !defined(__AVX512F__)
  static constexpr int sums = 12;
#else
  static constexpr int sums = 20;
#endif
  static constexpr int flops_a_turn = 2 * sums * host_lanes;

  std::size_t turns;
  float factor;
  float addend;

  void operator()(std::size_t part, float& total) const {
    auto const a = Impl::broadcast(factor);
    auto const b = Impl::broadcast(addend);
    FloatVector sum[sums];
    Impl::unrolled<sums>(
        [&](auto i) { sum[i] = Impl::broadcast(static_cast<float>(part + std::size_t(i))); });
    for (std::size_t turn = 0; turn < turns; ++turn) {
      Impl::unrolled<sums>([&](auto i) { sum[i] = sum[i] * a + b; });
    }
    for (auto const& vector : sum) total += vector[0];
  }
};

/// The same with plain numbers, on devices.
struct MultiplyAdds {
  static constexpr int sums         = 16;
  static constexpr int flops_a_turn = 2 * sums;

  std::size_t turns;
  float factor;
  float addend;

  KOKKOS_FUNCTION void operator()(std::size_t item, float& total) const {
    float sum[sums];
    for (int i = 0; i < sums; ++i) sum[i] = static_cast<float>(item + std::size_t(i));
    for (std::size_t turn = 0; turn < turns; ++turn) {
      for (int i = 0; i < sums; ++i) sum[i] = sum[i] * factor + addend;
    }
    for (int i = 0; i < sums; ++i) total += sum[i];
  }
};

template <class ExecSpace>
std::uint32_t read(ExecSpace const& exec, void const* data, std::size_t bytes) {
  constexpr char const* name = "KokkosKV::Perf::parallel_read";
  std::uint32_t result       = 0;
  if constexpr (Impl::is_host_execution_v<ExecSpace>) {
    auto const parts = static_cast<std::size_t>(exec.concurrency());
    Kokkos::parallel_reduce(name, range<ExecSpace>(exec, 0, parts),
                            ReadPart{static_cast<char const*>(data), bytes, parts}, result);
  } else {
    Kokkos::parallel_reduce(name, range<ExecSpace>(exec, 0, bytes / sizeof(std::uint32_t)),
                            ReadWord{static_cast<std::uint32_t const*>(data)}, result);
  }
  return result;
}

template <class ExecSpace>
double multiply_adds(ExecSpace const& exec, double flops) {
  constexpr bool on_host = Impl::is_host_execution_v<ExecSpace>;
  using functor          = std::conditional_t<on_host, MultiplyAddVectors, MultiplyAdds>;
  auto const items       = static_cast<std::size_t>(exec.concurrency());
  auto const item_flops  = static_cast<double>(items) * functor::flops_a_turn;
  auto const turns       = static_cast<std::size_t>(flops / item_flops) + 1;
  float result           = 0;
  Kokkos::parallel_reduce("KokkosKV::Perf::parallel_multiply_adds",
                          range<ExecSpace>(exec, 0, items), functor{turns, 0.75f, 0.5f}, result);
  return static_cast<double>(turns) * item_flops;
}

}  // namespace

std::uint32_t parallel_read(Kokkos::DefaultExecutionSpace const& exec, void const* data,
                            std::size_t bytes) {
  return read(exec, data, bytes);
}

double parallel_multiply_adds(Kokkos::DefaultExecutionSpace const& exec, double flops) {
  return multiply_adds(exec, flops);
}

}  // namespace KokkosKV::Perf
