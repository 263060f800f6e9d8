// The exceptions that refuse bad input. All derive from std::invalid_argument; the message names
// the function, the argument with its index, what was found and what was expected.
#ifndef KOKKOSKV_ERRORS_HPP
#define KOKKOSKV_ERRORS_HPP

#include <stdexcept>
#include <string>
#include <utility>

namespace KokkosKV {

/// Base of every refusal. `what()` reads `function: argument: found …, expected …`.
class ArgumentError : public std::invalid_argument {
 public:
  /// \param function  public function that refuses
  /// \param argument  argument with its index, for example `lookup_table(3, 5)`
  /// \param found     the value found
  /// \param expected  what would have been accepted
  ArgumentError(std::string const& function, std::string argument, std::string const& found,
                std::string const& expected)
      : std::invalid_argument(function + ": " + argument + ": found " + found + ", expected " +
                              expected),
        m_argument(std::move(argument)) {}

  /// The argument with its index.
  std::string const& argument() const noexcept { return m_argument; }

 private:
  std::string m_argument;
};

/// An extent, stride, number or layer does not fit the cache.
class ShapeError : public ArgumentError {
  using ArgumentError::ArgumentError;
};

/// The lookup table holds a page that the pool has not, or too few pages for a sequence.
class LookupTableError : public ArgumentError {
  using ArgumentError::ArgumentError;
};

/// Row offsets or lengths contradict each other, the input, or the announced maxima.
class RaggedError : public ArgumentError {
  using ArgumentError::ArgumentError;
};

/// Two writes of one call would meet in the same slot or page.
class ConflictError : public ArgumentError {
  using ArgumentError::ArgumentError;
};

}  // namespace KokkosKV

#endif
