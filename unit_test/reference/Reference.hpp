// What the library should do, written plainly over std::vector: addresses of a pool's elements,
// stores, loads and page copies. Shares no code with the library.
#ifndef KOKKOSKV_TEST_REFERENCE_HPP
#define KOKKOSKV_TEST_REFERENCE_HPP

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <reference/Rounding.hpp>

namespace KokkosKVTest {

inline constexpr std::uint32_t no_page = 0xFFFFFFFFu;

/// A pool in a larger array: margin, page, padding, page, padding, …, margin.
struct PoolShape {
  std::uint64_t num_blocks;
  std::uint64_t kv_dim;
  std::uint64_t num_layers;
  std::uint64_t page_size;
  std::uint64_t num_heads;
  std::uint64_t head_size;
  std::uint64_t padding = 0;  ///< elements behind each page
  std::uint64_t margin  = 0;  ///< elements before the first page and behind the last

  std::uint64_t page_elements() const {
    return kv_dim * num_layers * page_size * num_heads * head_size;
  }
  std::uint64_t pitch() const { return page_elements() + padding; }
  std::uint64_t array_size() const { return num_blocks * pitch() + 2 * margin; }

  std::uint64_t at(std::uint64_t page, std::uint64_t kv, std::uint64_t layer, std::uint64_t slot,
                   std::uint64_t head, std::uint64_t dim) const {
    std::uint64_t index = kv;
    index               = index * num_layers + layer;
    index               = index * page_size + slot;
    index               = index * num_heads + head;
    index               = index * head_size + dim;
    return margin + page * pitch() + index;
  }

  /// Where an element of the array lies, for messages.
  std::string describe(std::uint64_t index) const {
    std::ostringstream text;
    if (index < margin || index >= margin + num_blocks * pitch()) {
      text << "margin";
      return text.str();
    }
    auto const page = (index - margin) / pitch();
    auto rest       = (index - margin) % pitch();
    text << "page " << page;
    if (rest >= page_elements()) {
      text << ", padding";
      return text.str();
    }
    auto const next = [&rest](std::uint64_t extent) {
      auto const digit = rest % extent;
      rest /= extent;
      return digit;
    };
    auto const dim = next(head_size), head = next(num_heads), slot = next(page_size),
               layer = next(num_layers);
    text << (rest == 0 ? ", key" : ", value") << " of layer " << layer << ", slot " << slot
         << ", head " << head << ", dim " << dim;
    return text.str();
  }
};

inline std::ostream& operator<<(std::ostream& out, PoolShape const& shape) {
  return out << "pool [" << shape.num_blocks << ", " << shape.kv_dim << ", " << shape.num_layers
             << ", " << shape.page_size << ", " << shape.num_heads << ", " << shape.head_size
             << "] padding " << shape.padding << " margin " << shape.margin;
}

/// Sequences that get new tokens behind those that they have.
struct Batch {
  std::vector<std::uint32_t> cache_lengths;
  std::vector<std::uint32_t> new_lengths;
  std::uint64_t max_pages = 0;
  std::uint64_t row_pitch = 0;  ///< of the table, at least max_pages
  std::vector<std::uint32_t> table;

  std::uint64_t size() const { return cache_lengths.size(); }
  std::uint32_t page(std::uint64_t sequence, std::uint64_t token, std::uint64_t page_size) const {
    return table[sequence * row_pitch + token / page_size];
  }
};

inline std::vector<std::uint32_t> offsets_of(std::vector<std::uint32_t> const& lengths) {
  std::vector<std::uint32_t> result{0};
  for (auto const length : lengths) result.push_back(result.back() + length);
  return result;
}

inline std::uint32_t longest(std::vector<std::uint32_t> const& lengths) {
  std::uint32_t result = 0;
  for (auto const length : lengths) result = length > result ? length : result;
  return result;
}

template <class T>
struct ReferencePool {
  PoolShape shape;
  std::vector<T> array;

  /// Stores new_lengths[b] rows of sequence b, of which row i lies at `rows[first_rows[b] + i]`.
  template <class Value>
  void store(Batch const& batch, std::uint64_t kv, std::uint64_t layer,
             std::vector<std::uint64_t> const& first_rows, std::vector<Value> const& rows) {
    for (std::uint64_t sequence = 0; sequence < batch.size(); ++sequence) {
      for (std::uint64_t position = 0; position < batch.new_lengths[sequence]; ++position) {
        auto const token = batch.cache_lengths[sequence] + position;
        auto const page  = batch.page(sequence, token, shape.page_size);
        if (page == no_page) continue;
        auto const* value =
            rows.data() + (first_rows[sequence] + position) * shape.num_heads * shape.head_size;
        for (std::uint64_t head = 0; head < shape.num_heads; ++head) {
          for (std::uint64_t dim = 0; dim < shape.head_size; ++dim) {
            array[shape.at(page, kv, layer, token % shape.page_size, head, dim)] =
                reference_convert<T>(*value++);
          }
        }
      }
    }
  }

  /// Tokens [first_tokens[b], first_tokens[b] + lengths[b]) of each sequence, one behind the other.
  template <class Value>
  std::vector<Value> load(Batch const& batch, std::uint64_t kv, std::uint64_t layer,
                          std::vector<std::uint32_t> const& first_tokens,
                          std::vector<std::uint32_t> const& lengths) const {
    std::vector<Value> result;
    for (std::uint64_t sequence = 0; sequence < batch.size(); ++sequence) {
      for (std::uint64_t position = 0; position < lengths[sequence]; ++position) {
        auto const token = first_tokens[sequence] + position;
        auto const page  = batch.page(sequence, token, shape.page_size);
        for (std::uint64_t head = 0; head < shape.num_heads; ++head) {
          for (std::uint64_t dim = 0; dim < shape.head_size; ++dim) {
            result.push_back(
                page == no_page
                    ? Value{}
                    : reference_convert<Value>(
                          array[shape.at(page, kv, layer, token % shape.page_size, head, dim)]));
          }
        }
      }
    }
    return result;
  }

  void copy_page(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t element = 0; element < shape.page_elements(); ++element) {
      array[shape.margin + to * shape.pitch() + element] =
          array[shape.margin + from * shape.pitch() + element];
    }
  }
};

}  // namespace KokkosKVTest

#endif
