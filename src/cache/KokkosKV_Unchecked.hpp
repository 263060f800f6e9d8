// Tag that leaves the check of contents out.
#ifndef KOKKOSKV_UNCHECKED_HPP
#define KOKKOSKV_UNCHECKED_HPP

namespace KokkosKV {

/// Last argument of a call whose lookup table, offsets and lengths are known to be good, for
/// instance because the same batch was checked for another layer. Shapes are checked all the same,
/// and such a call is asynchronous. Bad contents then give wrong results, but no access outside the
/// pool.
struct unchecked_t {
  explicit unchecked_t() = default;
};
/// The value to pass, see unchecked_t.
inline constexpr unchecked_t unchecked{};

}  // namespace KokkosKV

#endif
