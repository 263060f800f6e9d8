// Umbrella header of kokkos-kv: a paged key/value cache for Kokkos applications.
#ifndef KOKKOSKV_HPP
#define KOKKOSKV_HPP

#include <KokkosKV_Version.hpp>
#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/KokkosKV_AttentionPlan.hpp>
#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/KokkosKV_CascadeAttention.hpp>
#include <attention/KokkosKV_MergeStates.hpp>
#include <attention/KokkosKV_PagedAttention.hpp>
#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_LookupTable.hpp>
#include <cache/KokkosKV_PageScales.hpp>
#include <cache/KokkosKV_PagedCache.hpp>
#include <cache/KokkosKV_PagedKVCache.hpp>
#include <cache/KokkosKV_PagedKVCacheCollection.hpp>
#include <cache/KokkosKV_StaticParams.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Convert.hpp>
#include <format/KokkosKV_Half.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/KokkosKV_PageEvent.hpp>
#include <manager/KokkosKV_PageFile.hpp>
#include <manager/KokkosKV_PageFileError.hpp>
#include <manager/KokkosKV_PageFileTier.hpp>
#include <manager/KokkosKV_PageHash.hpp>
#include <manager/KokkosKV_PageKey.hpp>
#include <manager/KokkosKV_PageManager.hpp>
#include <manager/KokkosKV_PageManagerOptions.hpp>
#include <manager/KokkosKV_PageStatistics.hpp>
#include <manager/KokkosKV_PageTransfer.hpp>
#include <manager/KokkosKV_PoolTransfer.hpp>
#include <manager/KokkosKV_StepBatch.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <projection/KokkosKV_GatherRows.hpp>
#include <projection/KokkosKV_PositionIds.hpp>
#include <projection/KokkosKV_RaggedAdd.hpp>
#include <projection/KokkosKV_RmsNorm.hpp>
#include <projection/KokkosKV_RmsNormParams.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <projection/KokkosKV_RopeRagged.hpp>
#include <projection/KokkosKV_RopeScaling.hpp>
#include <projection/KokkosKV_RopeStore.hpp>
#include <projection/KokkosKV_SequenceRange.hpp>
#include <store/KokkosKV_CopyPages.hpp>
#include <store/KokkosKV_LoadRagged.hpp>
#include <store/KokkosKV_StorePadded.hpp>
#include <store/KokkosKV_StoreRagged.hpp>

/// Everything that kokkos-kv offers to applications: the paged cache, the kernels that write and
/// read it, the storage types.
namespace KokkosKV {}

#endif
