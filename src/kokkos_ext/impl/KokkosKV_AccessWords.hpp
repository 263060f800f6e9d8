// How a vector moves between memory and registers. Devices: as words, since their compilers split
// an access to a struct of 16-bit elements into one access for each element, but not one to a
// struct of 32-bit words.
#ifndef KOKKOSKV_IMPL_ACCESSWORDS_HPP
#define KOKKOSKV_IMPL_ACCESSWORDS_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace KokkosKV::Impl {

/// Moves a vector on a host. Not an assignment: the optimiser would keep the vector in memory, too.
[[gnu::always_inline]] inline void move_on_host(void* target, void const* source,
                                                std::size_t bytes) {
  std::memcpy(target, source, bytes);
}

/// Unsigned integer of a size in bytes.
template <std::size_t Bytes>
using unsigned_of_size = std::conditional_t<
    Bytes == 8, std::uint64_t,
    std::conditional_t<Bytes == 4, std::uint32_t,
                       std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;

/// What one access moves, as words of 32 bits, or of 64 where the elements have as many.
template <class Vector>
struct alignas(Vector) AccessWords {
  using value_type = typename Vector::value_type;

  static constexpr std::size_t bytes = alignof(Vector);
  using word_type =
      unsigned_of_size<sizeof(value_type) == 8 ? 8 : (bytes < 4 ? bytes : std::size_t(4))>;

  static constexpr int num_accesses      = static_cast<int>(sizeof(Vector) / bytes);
  static constexpr int num_words         = static_cast<int>(bytes / sizeof(word_type));
  static constexpr int elements_per_word = static_cast<int>(sizeof(word_type) / sizeof(value_type));
  static constexpr int elements_per_access = num_words * elements_per_word;

  word_type words[num_words];
};

/// Stores words in one access. nvcc splits a store of a struct, even of its own uint4, wherever the
/// address is a sum of several offsets; its store functions it does not split.
template <class Words>
KOKKOS_FUNCTION void store_access(Words* target, Words const& stored) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDA_ARCH__)
  auto const& words = stored.words;
  if constexpr (Words::bytes == 16 && Words::num_words == 4) {
    __stwb(reinterpret_cast<uint4*>(target), uint4{words[0], words[1], words[2], words[3]});
    return;
  } else if constexpr (Words::bytes == 16) {
    __stwb(reinterpret_cast<ulonglong2*>(target), ulonglong2{words[0], words[1]});
    return;
  } else if constexpr (Words::bytes == 8 && Words::num_words == 2) {
    __stwb(reinterpret_cast<uint2*>(target), uint2{words[0], words[1]});
    return;
  }
#endif
  *target = stored;
}

/// Loads a vector from an address of its alignment; little-endian.
template <class Vector>
KOKKOS_FUNCTION Vector load_words(typename Vector::value_type const* source) {
  using words_type   = AccessWords<Vector>;
  using value_type   = typename Vector::value_type;
  using element_bits = unsigned_of_size<sizeof(value_type)>;
  constexpr int bits = static_cast<int>(8 * sizeof(value_type));
  Vector result;
  for (int access = 0; access < words_type::num_accesses; ++access) {
    auto const loaded = reinterpret_cast<words_type const*>(source)[access];
    for (int i = 0; i < words_type::elements_per_access; ++i) {
      auto const word  = loaded.words[i / words_type::elements_per_word];
      auto const shift = bits * (i % words_type::elements_per_word);
      result[access * words_type::elements_per_access + i] =
          Kokkos::bit_cast<value_type>(static_cast<element_bits>(word >> shift));
    }
  }
  return result;
}

/// Stores a vector to an address of its alignment; little-endian.
template <class Vector>
KOKKOS_FUNCTION void store_words(typename Vector::value_type* target, Vector const& vector) {
  using words_type   = AccessWords<Vector>;
  using value_type   = typename Vector::value_type;
  using word_type    = typename words_type::word_type;
  using element_bits = unsigned_of_size<sizeof(value_type)>;
  constexpr int bits = static_cast<int>(8 * sizeof(value_type));
  for (int access = 0; access < words_type::num_accesses; ++access) {
    words_type stored{};
    for (int i = 0; i < words_type::elements_per_access; ++i) {
      auto const element =
          Kokkos::bit_cast<element_bits>(vector[access * words_type::elements_per_access + i]);
      auto& word       = stored.words[i / words_type::elements_per_word];
      auto const shift = bits * (i % words_type::elements_per_word);
      word             = static_cast<word_type>(word | static_cast<word_type>(element) << shift);
    }
    store_access(reinterpret_cast<words_type*>(target) + access, stored);
  }
}

}  // namespace KokkosKV::Impl

#endif
