// The matrices and biases that make queries, keys and values of hidden states.
#ifndef KOKKOSKV_LINEARWEIGHTS_HPP
#define KOKKOSKV_LINEARWEIGHTS_HPP

namespace KokkosKV {

/// No bias is added.
struct NoBias {};

/// A linear map: row `x` of the input becomes `weight x + bias`.
/// \tparam Weight  View `[outputs, dim]`, either stride 1
/// \tparam Bias    View `[outputs]`, or NoBias
template <class Weight, class Bias = NoBias>
struct LinearWeights {
  Weight weight;  ///< `[outputs, dim]`
  Bias bias{};    ///< `[outputs]`
};
/// Deduces the View.
template <class Weight>
LinearWeights(Weight) -> LinearWeights<Weight>;
/// Deduces both Views.
template <class Weight, class Bias>
LinearWeights(Weight, Bias) -> LinearWeights<Weight, Bias>;

/// Separate maps of keys and values.
/// \tparam Key, Value  LinearWeights
template <class Key, class Value>
struct KeyValueWeights {
  Key key;      ///< to heads * head_size of the cache
  Value value;  ///< likewise
};
/// Deduces the maps.
template <class Key, class Value>
KeyValueWeights(Key, Value) -> KeyValueWeights<Key, Value>;

/// Separate maps of queries, keys and values.
/// \tparam Query, Key, Value  LinearWeights
template <class Query, class Key, class Value>
struct QueryKeyValueWeights {
  Query query;  ///< to the elements of a query row
  Key key;      ///< to heads * head_size of the cache
  Value value;  ///< likewise
};
/// Deduces the maps.
template <class Query, class Key, class Value>
QueryKeyValueWeights(Query, Key, Value) -> QueryKeyValueWeights<Query, Key, Value>;

}  // namespace KokkosKV

#endif
