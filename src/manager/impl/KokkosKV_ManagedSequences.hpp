// ManagedSequences: the sequences of a manager by their numbers.
#ifndef KOKKOSKV_IMPL_MANAGEDSEQUENCES_HPP
#define KOKKOSKV_IMPL_MANAGEDSEQUENCES_HPP

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageManagerOptions.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_ManagedSequence.hpp>

namespace KokkosKV::Impl {

class ManagedSequences {
 public:
  /// \return its number
  SequenceId add(ManagedSequence& sequence) {
    m_sequences.try_emplace(m_next_id, std::move(sequence));
    return m_next_id++;
  }
  void erase(SequenceId id) { m_sequences.erase(id); }
  std::size_t size() const { return m_sequences.size(); }

  /// \throws SequenceError  no such sequence
  ManagedSequence const& find(char const* function, SequenceId id) const {
    auto const found = m_sequences.find(id);
    if (found == m_sequences.end()) {
      throw SequenceError(function, name_of(id), id < m_next_id ? "freed" : "unknown",
                          "a sequence of this manager");
    }
    return found->second;
  }
  ManagedSequence& find(char const* function, SequenceId id) {
    return const_cast<ManagedSequence&>(std::as_const(*this).find(function, id));
  }
  /// \throws SequenceError  no such sequence, or it is in a step
  ManagedSequence& find_idle(char const* function, SequenceId id) {
    auto& sequence = find(function, id);
    if (sequence.is_in_step)
      throw SequenceError(function, name_of(id), "in a step", "no step that is not committed");
    return sequence;
  }
  /// \throws SequenceError  no such sequence, or it is in a step or swapped out
  ManagedSequence& find_resident(char const* function, SequenceId id) {
    auto& sequence = find_idle(function, id);
    check_resident(function, id, sequence);
    return sequence;
  }

  /// Those that a step is asked for.
  /// \throws SequenceError  no such sequence, one twice, or one that is swapped out
  void find_requested(std::span<StepRequest const> requests,
                      std::vector<ManagedSequence*>& requested) {
    constexpr char const* function = "prepare_step";
    requested.clear();
    requested.reserve(requests.size());
    // The flag finds sequences that come twice; the step sets it for good when it is made.
    auto const unmark = [&] {
      for (auto* const sequence : requested) sequence->is_in_step = false;
    };
    try {
      for (auto const& request : requests) {
        auto& sequence = find(function, request.sequence);
        check_resident(function, request.sequence, sequence);
        if (sequence.is_in_step) {
          throw SequenceError(function, "requests[" + std::to_string(requested.size()) + "]",
                              name_of(request.sequence), "each sequence once");
        }
        sequence.is_in_step = true;
        requested.push_back(&sequence);
      }
    } catch (...) {
      unmark();
      throw;
    }
    unmark();
  }

  static std::string name_of(SequenceId id) { return "sequence " + std::to_string(id); }

  /// \throws ShapeError  a sequence would have too many tokens
  static void check_length(char const* function, char const* argument, std::size_t before,
                           std::size_t more) {
    constexpr std::size_t most = 0xFFFFFFFFu;
    if (more <= most - before) return;
    throw ShapeError(function, argument, std::to_string(more),
                     "at most " + std::to_string(most - before) + " beside the " +
                         std::to_string(before) + " tokens that there are");
  }

 private:
  static void check_resident(char const* function, SequenceId id, ManagedSequence const& sequence) {
    if (sequence.state != SequenceState::resident)
      throw SequenceError(function, name_of(id), "swapped out", "a resident one");
  }

  std::unordered_map<SequenceId, ManagedSequence> m_sequences;
  SequenceId m_next_id = 0;
};

}  // namespace KokkosKV::Impl

#endif
