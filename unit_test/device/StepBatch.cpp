// Device instantiations of StepBatcher and PoolTransfer.
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_step_batch(exec_space const& exec, KokkosKV::PageManager const& manager,
                            KokkosKV::StepLayout const& layout) {
  using blocks_type = Shape<16, 8, 128>::blocks_type;
  blocks_type const blocks;
  KokkosKV::PoolTransfer<exec_space, blocks_type> transfer(exec, blocks, 1);
  KokkosKV::StepBatcher<exec_space> batcher(exec, 1, 1);
  auto const batch = batcher.load(exec, manager, layout);
  batch.copy_pages(
      exec, KokkosKV::generic_get_paged_cache(blocks, batch.cache_lengths, batch.lookup_table,
                                              batch.max_prompt_length, batch.max_cache_length));
}

}  // namespace KokkosKVTest::device
