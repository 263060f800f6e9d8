// AttentionPlan: how the attention of one step is cut into work, made once and used by every layer.
#ifndef KOKKOSKV_ATTENTIONPLAN_HPP
#define KOKKOSKV_ATTENTIONPLAN_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_AttentionUnits.hpp>
#include <attention/impl/KokkosKV_NativeForm.hpp>
#include <attention/impl/KokkosKV_PlanCheck.hpp>
#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <attention/impl/KokkosKV_TableCheck.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV {

/// Units of work for the rows and cache lengths of one step, and the memory that they need: so a
/// call of paged_attention() allocates nothing and waits for nothing (plan and run, as in Ye et
/// al., FlashInfer, 2025). A plan serves one execution space instance at a time, since its memory
/// is used by the calls.
///
/// \tparam ExecSpace  where attention will run
/// \tparam Form       how; tests run the form of devices on hosts
template <class ExecSpace = Kokkos::DefaultExecutionSpace,
          class Form      = Impl::native_form<ExecSpace>>
class AttentionPlan {
 public:
  using execution_space = ExecSpace;                         ///< where attention runs
  using memory_space    = typename ExecSpace::memory_space;  ///< where the units lie

  /// Cuts a step. Waits for the instance where the lengths do not lie in host memory.
  ///
  /// \param exec               execution space instance
  /// \param shape              heads and head sizes
  /// \param input_row_offsets  uint32 `[batch + 1]`, any memory space
  /// \param cache_lengths      uint32 `[batch]`, tokens before the step, any memory space
  /// \param visibility         the one that the calls will have
  /// \param options            how to cut
  /// \throws ShapeError   a number of heads, a head size, an option or an extent is out of range
  /// \throws RaggedError  offsets decrease or do not begin with 0; a sequence is too long
  template <class Offsets, class Lengths>
    requires(Kokkos::is_view_v<Offsets> && Kokkos::is_view_v<Lengths>)
  AttentionPlan(ExecSpace const& exec, AttentionShape const& shape,
                Offsets const& input_row_offsets, Lengths const& cache_lengths,
                Visibility const& visibility = {}, AttentionPlanOptions const& options = {})
      : m_shape(shape), m_visibility(visibility), m_options(options) {
    m_lengths.offsets       = Impl::to_host(exec, "input_row_offsets", input_row_offsets);
    m_lengths.cache_lengths = Impl::to_host(exec, "cache_lengths", cache_lengths);
    Impl::check_plan(shape, m_lengths, options);
    auto const key_counts = count_keys();
    m_sizes               = Form::plan_sizes(exec, shape);
    Impl::UnitCutter cutter(m_shape, m_visibility, m_options, m_sizes.limits, m_lengths);
    auto const units             = cutter.cut();
    m_units                      = upload(exec, "units", units.units);
    m_key_counts                 = upload(exec, "key_counts", key_counts);
    m_row_sequences              = upload(exec, "row_sequences", units.row_sequences);
    m_state_offsets              = upload(exec, "state_offsets", units.state_offsets);
    m_merged_rows                = upload(exec, "merged_rows", units.merged_rows);
    std::size_t const num_states = units.state_offsets.back();
    auto const heads             = static_cast<std::size_t>(shape.num_query_heads);
    m_state_outputs =
        states_type(label("state_outputs", Kokkos::WithoutInitializing),
                    num_states * heads * static_cast<std::size_t>(shape.value_head_size));
    m_state_lses =
        states_type(label("state_lses", Kokkos::WithoutInitializing), num_states * heads);
    m_scratch = bytes_type(label("scratch"), m_sizes.scratch_bytes * m_sizes.num_workers);
    m_queue   = queue_type(label("queue"), 2);
    // What is uploaded must outlive the copies.
    exec.fence("KokkosKV::AttentionPlan");
  }

  /// Sequences of the step.
  std::size_t batch_size() const { return m_lengths.batch_size(); }
  /// Query rows of the step.
  std::size_t num_rows() const { return m_lengths.offsets.back(); }
  /// Heads and head sizes.
  AttentionShape const& shape() const { return m_shape; }
  /// What rows see.
  Visibility const& visibility() const { return m_visibility; }
  /// How it was cut.
  AttentionPlanOptions const& options() const { return m_options; }
  /// Units of work.
  std::size_t num_units() const { return m_units.size(); }
  /// Partial results that are merged at the end, of a row each.
  std::size_t num_states() const {
    return m_state_lses.size() / static_cast<std::size_t>(m_shape.num_query_heads);
  }
  /// Bytes that the plan holds for the calls.
  std::size_t workspace_bytes() const {
    return (m_state_outputs.size() + m_state_lses.size()) * sizeof(float) + m_scratch.size();
  }

 private:
  template <class>
  friend struct Impl::PlanAccess;

  /// Keys of each sequence, none where it has no rows.
  std::vector<std::uint32_t> count_keys() {
    std::vector<std::uint32_t> result(m_lengths.batch_size(), 0);
    for (std::size_t b = 0; b < result.size(); ++b) {
      auto const rows = m_lengths.num_rows(b);
      if (rows == 0) continue;
      result[b] = Impl::key_count(m_visibility, m_lengths.cache_lengths[b], rows);
      if (result[b] > m_longest.keys) m_longest = {b, result[b]};
    }
    return result;
  }

  template <class T>
  using list_type   = Kokkos::View<T*, memory_space>;
  using states_type = list_type<float>;
  using bytes_type  = list_type<char>;
  using queue_type  = list_type<unsigned long long>;

  template <class... Properties>
  static auto label(std::string const& name, Properties const&... properties) {
    return Kokkos::view_alloc("KokkosKV::AttentionPlan::" + name, properties...);
  }

  template <class T>
  static list_type<T> upload(ExecSpace const& exec, std::string const& name,
                             std::vector<T> const& from) {
    list_type<T> const result(label(name, Kokkos::WithoutInitializing), from.size());
    Kokkos::deep_copy(
        exec, result,
        Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            from.data(), from.size()));
    return result;
  }

  AttentionShape m_shape;
  Visibility m_visibility;
  AttentionPlanOptions m_options;
  Impl::StepLengths m_lengths;
  Impl::LongestSequence m_longest{};
  Impl::PlanSizes m_sizes;
  list_type<Impl::AttentionUnit> m_units;
  list_type<std::uint32_t> m_key_counts;
  list_type<std::uint32_t> m_row_sequences;
  list_type<std::uint32_t> m_state_offsets;
  list_type<std::uint32_t> m_merged_rows;
  states_type m_state_outputs;
  states_type m_state_lses;
  bytes_type m_scratch;
  queue_type m_queue;
};

/// Checks what plan and call cannot see without waiting: each page of a sequence's row of the
/// lookup table must be one of the pool, or null_page. make_attention_plan() does it for the
/// collection that the keys come from; this is for values of another collection.
///
/// \param exec   execution space instance; waits for it
/// \param plan   of the step
/// \param cache  keys or values of any layer
/// \throws LookupTableError  a page is not in the pool, or a sequence is longer than its row
template <class ExecSpace, class Form, class Cache>
void check_attention_pages(ExecSpace const& exec, AttentionPlan<ExecSpace, Form> const& plan,
                           Cache const& cache) {
  Impl::check_pages(exec, "check_attention_pages", "cache", plan, cache);
}

/// \name make_attention_plan
///
/// Makes the plan of a step for the caches of a collection, and checks their pages as
/// check_attention_pages() does.
///
/// \param exec               execution space instance; waits for it
/// \param key_cache          keys of any layer; its cache lengths are those of the step
/// \param input_row_offsets  uint32 `[batch + 1]`
/// \param num_query_heads    1 to 64 times the cache's heads
/// \param value_head_size    elements of a value head, 0 = as many as a key head has
/// \param visibility         the one that the calls will have
/// \param options            how to cut
/// \throws LookupTableError  a page is not in the pool, or a sequence is longer than its row
/// \throws others            as the constructor of AttentionPlan
/// \{
template <class ExecSpace, class KeyCache, class Offsets>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
AttentionPlan<ExecSpace> make_attention_plan(ExecSpace const& exec, KeyCache const& key_cache,
                                             Offsets const& input_row_offsets, int num_query_heads,
                                             int value_head_size                 = 0,
                                             Visibility const& visibility        = {},
                                             AttentionPlanOptions const& options = {}) {
  using lengths_type = Kokkos::View<std::uint32_t const*, typename KeyCache::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  AttentionShape const shape{num_query_heads, KeyCache::num_heads, KeyCache::head_size,
                             value_head_size == 0 ? KeyCache::head_size : value_head_size};
  AttentionPlan<ExecSpace> const plan(
      exec, shape, input_row_offsets,
      lengths_type(key_cache.cache_lengths(), key_cache.batch_size()), visibility, options);
  Impl::check_pages(exec, "make_attention_plan", "key_cache", plan, key_cache);
  return plan;
}

/// On the default instance of the execution space of the cache's memory, with the arguments that
/// follow the instance.
template <class KeyCache, class... Arguments>
  requires(!Kokkos::is_execution_space_v<KeyCache>)
auto make_attention_plan(KeyCache const& key_cache, Arguments const&... arguments) {
  return make_attention_plan(typename KeyCache::memory_space::execution_space{}, key_cache,
                             arguments...);
}
/// \}

}  // namespace KokkosKV

#endif
