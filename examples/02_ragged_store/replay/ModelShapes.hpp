// What is compiled: the shapes of known models, page sizes and storage types.
#pragma once

#include <cache/KokkosKV_StaticParams.hpp>
#include <string_view>

namespace ragged_store {

struct ModelShape {
  std::string_view name;
  unsigned num_layers;
  KokkosKV::KVCacheStaticParams params;

  unsigned kv_dim() const { return params.is_mla ? 1 : 2; }
};

/// Models with equal heads and head size share their compiled code; the number of layers is free.
inline constexpr ModelShape model_shapes[] = {
    {"tiny", 2, {2, 16}},         {"llama3-1b", 16, {8, 64}},           {"llama3-8b", 32, {8, 128}},
    {"llama3-70b", 80, {8, 128}}, {"deepseek-mla", 61, {1, 576, true}},
};

/// A page size is a compile-time constant of the cache, so each costs build time for every shape
/// and type.
struct PageSize {
  int tokens;
  std::string_view only_type = {};  ///< the type that it is compiled for; empty: all
};
inline constexpr PageSize page_sizes[] = {{16}, {64, "bf16"}, {256, "bf16"}};

/// Each is compiled in a file of its own, see Replay.cpp.
inline constexpr std::string_view type_names[] = {"float", "half", "bf16", "int8"};

/// True when a page size is compiled for a type.
constexpr bool is_compiled(PageSize const& page, std::string_view type) {
  return page.only_type.empty() || page.only_type == type;
}

}  // namespace ragged_store
