// The replay as the rest of the program sees it: options and requests in, figures out.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "Options.hpp"
#include "common/trace/Request.hpp"
#include "replay/ModelShapes.hpp"

namespace ragged_store {

struct ReplayResults {
  std::uint64_t requests = 0;
  std::uint64_t steps    = 0;
  std::uint64_t tokens   = 0;
  /// Bytes written to the cache: tokens × layers × (keys and values) × heads × head size × element.
  std::uint64_t bytes_stored      = 0;
  std::uint64_t elements_stored   = 0;
  std::uint64_t elements_verified = 0;
  std::uint64_t pages_total       = 0;
  std::uint64_t pages_peak        = 0;
  std::uint64_t sampled_stores    = 0;  ///< stores after which the same bytes were copied by memcpy

  double store_seconds         = 0;
  double sampled_store_seconds = 0;
  double sampled_copy_seconds  = 0;
  double fill_seconds          = 0;  ///< making the values
  double verify_seconds        = 0;
  double total_seconds         = 0;

  std::string failure;  ///< empty: every element was read back as stored

  /// Bytes written a second.
  double store_rate() const {
    return store_seconds > 0 ? static_cast<double>(bytes_stored) / store_seconds : 0;
  }
  /// Speed of the stores relative to that of memcpy, on the same numbers of bytes.
  double memcpy_share() const {
    return sampled_store_seconds > 0 ? sampled_copy_seconds / sampled_store_seconds : 0;
  }
};

/// Runs the workload; the options name the compiled variant.
/// \throws UsageError  a request does not fit the pool, or the pool not the memory
ReplayResults replay(Options const& options, ModelShape const& shape,
                     std::span<example::Request const> requests);

}  // namespace ragged_store
