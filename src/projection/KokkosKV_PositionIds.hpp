// PositionIds: positions that are not those of the cache.
#ifndef KOKKOSKV_POSITIONIDS_HPP
#define KOKKOSKV_POSITIONIDS_HPP

#include <type_traits>

namespace KokkosKV {

/// Option of rope_ragged() and its kin: the position of each row.
/// \tparam ViewType  uint32 `[rows]`
template <class ViewType>
struct PositionIds {
  ViewType ids;  ///< any number; row r of the batch turns by `ids(r)` positions
};
/// Deduces the View.
template <class ViewType>
PositionIds(ViewType) -> PositionIds<ViewType>;

namespace Impl {

template <class Option>
inline constexpr bool is_position_ids_v = false;
template <class ViewType>
inline constexpr bool is_position_ids_v<PositionIds<ViewType>> = true;

}  // namespace Impl

}  // namespace KokkosKV

#endif
