// The cache as the replay sees it: one interface over every compiled type, shape and page size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "replay/BatchTables.hpp"
#include "replay/ModelShapes.hpp"

namespace ragged_store {

/// Run-time description of a cache.
struct CacheGeometry {
  ModelShape shape;
  std::uint32_t page_size;
  std::size_t element_bytes;

  std::size_t row_elements() const {
    return static_cast<std::size_t>(shape.params.num_heads) *
           static_cast<std::size_t>(shape.params.head_size);
  }
  /// Elements of `rows` tokens in one layer, keys and values.
  std::size_t layer_elements(std::size_t rows) const {
    return shape.kv_dim() * rows * row_elements();
  }
  std::size_t layer_bytes(std::size_t rows) const { return layer_elements(rows) * element_bytes; }
  std::size_t page_bytes() const { return shape.num_layers * layer_bytes(page_size); }
};

/// A plane is the keys or the values of a layer: layer × kv_dim + (0 for keys, 1 for values).
class CacheUnderTest {
 public:
  virtual ~CacheUnderTest() = default;

  /// Takes the batch over. The tables must outlive the step.
  virtual void begin_step(BatchTables const& tables) = 0;
  /// Makes the input of the layers [first, first + count). Asynchronous.
  virtual void fill(std::size_t first_layer, std::size_t count) = 0;
  /// Stores that input: the calls that are measured. Asynchronous after the check of the first
  /// layer.
  virtual void store(std::size_t first_layer, std::size_t count) = 0;
  /// The input, packed.
  virtual void const* input() const = 0;
  /// Reads a sequence's `tokens` back in every plane. Returns the first
  /// (plane × tokens + token) × heads + head with a wrong element, planes × tokens × heads if there
  /// is none.
  virtual std::size_t find_wrong(std::uint32_t slot, std::uint32_t request,
                                 std::uint32_t tokens) const = 0;
};

/// Makes the variant compiled for storage type T, or nothing if there is none for this geometry.
/// \param input_elements  largest input of a fill()
template <class T>
std::unique_ptr<CacheUnderTest> make_cache(CacheGeometry const& geometry, std::uint32_t num_pages,
                                           std::size_t input_elements);

}  // namespace ragged_store
