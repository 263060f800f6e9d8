// Attention by its definition, in double precision, over plain arrays.
#ifndef KOKKOSKV_TEST_ATTENTIONREFERENCE_HPP
#define KOKKOSKV_TEST_ATTENTIONREFERENCE_HPP

#include <KokkosKV.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace KokkosKVTest {

/// What one query row and head has to do with the keys of its sequence.
struct ReferenceRow {
  KokkosKV::Visibility visibility;
  double scale          = 1;
  double soft_cap       = 0;
  double slope          = 0;
  bool has_sink         = false;
  double sink           = 0;
  std::int64_t position = 0;
  std::int64_t num_keys = 0;

  bool sees(std::int64_t key) const {
    auto const& rule = visibility;
    if (key >= num_keys || (rule.causal && key > position)) return false;
    if (key < static_cast<std::int64_t>(rule.first_tokens)) return true;
    bool const left = rule.window_left == KokkosKV::unlimited ||
                      key >= position - static_cast<std::int64_t>(rule.window_left);
    bool const right = rule.window_right == KokkosKV::unlimited ||
                       key <= position + static_cast<std::int64_t>(rule.window_right);
    return left && right;
  }
};

/// A sum of products, and the sum of their sizes, which is what rounding errors follow.
struct DotProduct {
  double sum   = 0;
  double sizes = 0;
};

struct ReferenceResult {
  std::vector<double> output;
  double lse           = -std::numeric_limits<double>::infinity();
  double largest_terms = 0;  ///< sum of the sizes of a logit's terms, of the keys that are seen
  double largest_value = 0;  ///< by size, of the values that are seen
};

/// \param is_there  bool(key): its page exists, and no functor hides it
/// \param dot       DotProduct(key): query times key
/// \param change    double(key, logit): what a functor makes of a logit
/// \param value     double(key, dim)
template <class IsThere, class Dot, class Change, class Value>
ReferenceResult reference_attention(ReferenceRow const& row, std::size_t value_head_size,
                                    IsThere const& is_there, Dot const& dot, Change const& change,
                                    Value const& value) {
  std::vector<std::int64_t> keys;
  std::vector<double> logits;
  ReferenceResult result;
  result.output.assign(value_head_size, 0.0);
  for (std::int64_t key = 0; key < row.num_keys; ++key) {
    if (!row.sees(key) || !is_there(key)) continue;
    DotProduct const product = dot(key);
    double logit             = row.scale * product.sum;
    if (row.soft_cap != 0) logit = row.soft_cap * std::tanh(logit / row.soft_cap);
    logit += row.slope * static_cast<double>(key - row.position);
    keys.push_back(key);
    logits.push_back(change(key, logit));
    result.largest_terms = std::max(
        {result.largest_terms, std::fabs(row.scale) * product.sizes, std::fabs(logits.back())});
  }
  if (keys.empty()) return result;
  double top = *std::max_element(logits.begin(), logits.end());
  if (row.has_sink) top = std::max(top, row.sink);
  double sum = row.has_sink ? std::exp(row.sink - top) : 0.0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    double const weight = std::exp(logits[i] - top);
    sum += weight;
    for (std::size_t d = 0; d < value_head_size; ++d) {
      double const element = value(keys[i], d);
      result.output[d] += weight * element;
      result.largest_value = std::max(result.largest_value, std::fabs(element));
    }
  }
  for (auto& element : result.output) element /= sum;
  result.lse = top + std::log(sum);
  return result;
}

}  // namespace KokkosKVTest

#endif
