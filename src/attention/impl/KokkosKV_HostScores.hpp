// The rule for logits on vectors of hosts.
#ifndef KOKKOSKV_IMPL_HOSTSCORES_HPP
#define KOKKOSKV_IMPL_HOSTSCORES_HPP

#include <cstdint>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_HostKeyTile.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// Rows of the lanes: their positions, slopes and what they see.
struct LaneRows {
  IntVector position;
  IntVector begin;
  IntVector end;
  IntVector first_end;
  FloatVector slope;

  /// The same row in every lane.
  static LaneRows all(QueryPair const& pair, float slope) {
    return {broadcast_int(static_cast<std::int32_t>(pair.position)),
            broadcast_int(static_cast<std::int32_t>(pair.keys.begin)),
            broadcast_int(static_cast<std::int32_t>(pair.keys.end)),
            broadcast_int(static_cast<std::int32_t>(pair.keys.first_end)), broadcast(slope)};
  }

  void set(int lane, QueryPair const& pair, float slope_of_lane) {
    position[lane]  = static_cast<std::int32_t>(pair.position);
    begin[lane]     = static_cast<std::int32_t>(pair.keys.begin);
    end[lane]       = static_cast<std::int32_t>(pair.keys.end);
    first_end[lane] = static_cast<std::int32_t>(pair.keys.first_end);
    slope[lane]     = slope_of_lane;
  }

  /// Soft cap and bias.
  template <class Rule>
  FloatVector shape(Rule const& rule, FloatVector logit, IntVector key) const {
    if (rule.soft_cap != 0) logit = hyperbolic_tangent(logit / rule.soft_cap) * rule.soft_cap;
    // Relative to the row, and so small where the weights are large.
    if (rule.alibi_slopes != nullptr) logit += slope * to_float(key - position);
    return logit;
  }

  /// -inf where the key is not seen, or not there.
  FloatVector hide(FloatVector logit, IntVector key, IntVector present) const {
    IntVector const seen = (((key >= begin) & (key < end)) | (key < first_end)) & present;
    return seen != 0 ? logit : broadcast(minus_infinity);
  }
};

/// Mask and score functors on the logits of a pair with the keys of the lanes.
template <class Call>
inline void apply_functors(Call const& call, QueryPair const& pair, IntVector key,
                           FloatVector& logit) {
  for (int lane = 0; lane < host_lanes; ++lane) {
    if (logit[lane] == minus_infinity) continue;
    auto const index = call.index(pair, static_cast<std::uint32_t>(key[lane]));
    logit[lane]      = call.rule.apply(index, logit[lane]);
  }
}

/// Whether a rule changes logits, beside hiding some.
template <class Rule>
inline bool shapes_logits(Rule const& rule) {
  return rule.soft_cap != 0 || rule.alibi_slopes != nullptr;
}

/// Whether a pair may not see every key of a tile, or functors have a say in it.
template <class Call, int Size>
inline bool may_hide(HostKeyTile<Call, Size> const& tile, QueryPair const& pair) {
  return !tile.complete || Call::has_functors || tile.count < Size ||
         !pair.keys.covers(tile.begin, tile.begin + Size);
}

/// What the rule makes of the logits of a pair with host_lanes keys of a tile.
/// \param rows    the pair in every lane
/// \param first   of the keys, within the tile
/// \param hidden  may_hide()
template <class Call, int Size>
inline FloatVector apply_rule(Call const& call, HostKeyTile<Call, Size> const& tile,
                              QueryPair const& pair, LaneRows const& rows, int first,
                              FloatVector logit, bool hidden) {
  auto const key = counting(static_cast<std::int32_t>(tile.begin) + first);
  logit          = rows.shape(call.rule, logit, key);
  if (!hidden) return logit;
  IntVector present;
  __builtin_memcpy(&present, tile.present + first, sizeof present);
  logit = rows.hide(logit, key, present);
  if constexpr (Call::has_functors) apply_functors(call, pair, key, logit);
  return logit;
}

}  // namespace KokkosKV::Impl

#endif
