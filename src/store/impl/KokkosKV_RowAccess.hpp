// Where the rows of an input come from, or those of an output go to: a View of any stride or a
// functor.
#ifndef KOKKOSKV_IMPL_ROWACCESS_HPP
#define KOKKOSKV_IMPL_ROWACCESS_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cache/impl/KokkosKV_Check.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// Rows of a View `[rows, heads, head_size]` or `[batch, max_rows, heads, head_size]`.
template <class T>
struct ViewRows {
  using value_type = std::remove_const_t<T>;

  T* data;
  bool padded;
  std::size_t sequence_stride;  ///< unused where ragged
  std::size_t row_stride;
  std::size_t head_stride;
  std::size_t dim_stride;

  KOKKOS_FUNCTION T* row(RowLocation const& at) const {
    return data + (padded ? at.sequence * sequence_stride + at.position * row_stride
                          : at.row * row_stride);
  }

  /// Elements [dim, dim + Width); in one access when Aligned, which needs dim_stride 1.
  template <int Width, bool Aligned>
  KOKKOS_FUNCTION SimdVector<value_type, Width> load(RowLocation const& at, int head,
                                                     int dim) const {
    auto const* source = element(at, head, dim);
    if constexpr (Aligned) {
      return load_vector<Width, alignof(SimdVector<value_type, Width>)>(
          static_cast<value_type const*>(source));
    } else {
      SimdVector<value_type, Width> result;
      for (int i = 0; i < Width; ++i) result[i] = source[static_cast<std::size_t>(i) * dim_stride];
      return result;
    }
  }

  template <int Width, bool Aligned>
  KOKKOS_FUNCTION void store(RowLocation const& at, int head, int dim,
                             SimdVector<value_type, Width> const& vector) const {
    auto* target = element(at, head, dim);
    if constexpr (Aligned) {
      store_vector<Width, alignof(SimdVector<value_type, Width>)>(target, vector);
    } else {
      for (int i = 0; i < Width; ++i) target[static_cast<std::size_t>(i) * dim_stride] = vector[i];
    }
  }

  /// True when vectors of Width elements can move in one access.
  template <int Width>
  bool is_aligned() const {
    constexpr std::size_t bytes = alignof(SimdVector<value_type, Width>);
    auto const fits = [](std::size_t stride) { return stride * sizeof(T) % bytes == 0; };
    return dim_stride == 1 && reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
           fits(head_stride) && fits(row_stride) && fits(sequence_stride);
  }

  /// True when the elements of a token are neighbours, and those of consecutive rows too.
  bool is_packed(std::size_t num_heads, std::size_t head_size) const {
    return dim_stride == 1 && head_stride == head_size && row_stride == num_heads * head_size;
  }

 private:
  KOKKOS_FUNCTION T* element(RowLocation const& at, int head, int dim) const {
    return row(at) + static_cast<std::size_t>(head) * head_stride +
           static_cast<std::size_t>(dim) * dim_stride;
  }
};

/// Unifies a View of rank 3 (ragged) or 4 (padded).
template <class Rows, class ViewType>
Rows view_rows(ViewType const& view) {
  constexpr auto rank      = ViewType::rank();
  constexpr bool is_padded = rank == 4;
  static_assert(rank == 3 || rank == 4, "KokkosKV: an input or output must have rank 3 or 4");
  auto const stride = strides<rank>(view);
  return {view.data(),      is_padded,        is_padded ? stride[0] : 0,
          stride[rank - 3], stride[rank - 2], stride[rank - 1]};
}

/// A functor that gives one element at (ragged row, head, dim), or (sequence, position, head, dim).
template <class F, class... Index>
concept ElementFunctor = requires(F const& f, Index... index) {
  { f(index...) };
};

/// Rows computed by a user's functor, see kv_cache_store_ragged() for its two forms.
template <class Functor, bool Padded>
struct FunctorRows {
  Functor functor;

  template <int Width, bool>
  KOKKOS_FUNCTION auto load(RowLocation const& at, int head, int dim) const {
    if constexpr (Padded) {
      return evaluate<Width>(head, dim, at.sequence, at.position);
    } else {
      return evaluate<Width>(head, dim, at.row);
    }
  }

  template <int>
  bool is_aligned() const {
    return true;
  }

 private:
  template <int Width, class... Row>
  KOKKOS_FUNCTION auto evaluate(int head, int dim, Row... row) const {
    if constexpr (ElementFunctor<Functor, Row..., int, int>) {
      using value_type = std::remove_cvref_t<decltype(functor(row..., head, dim))>;
      SimdVector<value_type, Width> result;
      for (int i = 0; i < Width; ++i) result[i] = functor(row..., head, dim + i);
      return result;
    } else {
      constexpr std::size_t alignment = alignof(SimdVector<typename Functor::value_type, Width>);
      return functor.template operator()<Width, alignment>(row..., head, dim);
    }
  }
};

}  // namespace KokkosKV::Impl

#endif
