// A model without weights: the next token follows from all tokens of the sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/LanguageModel.hpp"

namespace llama_generate::test {

class CountingModel final : public LanguageModel {
 public:
  /// \param context     of the model
  /// \param stops_at    length of a sequence at which it generates EOS; 0: none
  explicit CountingModel(std::uint32_t context, std::uint32_t stops_at = 0)
      : m_config{.vocab_size = vocab_size, .context = context}, m_stops_at(stops_at) {}

  static constexpr std::uint32_t vocab_size = 50;

  /// What follows these tokens; neither BOS nor EOS.
  std::uint32_t next(std::span<std::uint32_t const> tokens) const {
    if (tokens.size() == m_stops_at) return eos_token;
    std::uint32_t hash = 1;
    for (auto const token : tokens) hash = hash * 2654435761u + token;
    return 3 + (hash >> 16) % (vocab_size - 3);
  }

  ModelConfig const& config() const override { return m_config; }
  std::size_t weight_bytes() const override { return 0; }
  void launch(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout,
              std::span<std::uint32_t const> sequences) override {
    if (fails) throw std::runtime_error("launch failed");
    largest_step = 0;
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      largest_step = std::max(largest_step, layout.row_offsets[i + 1] - layout.row_offsets[i]);
    }
    m_logits.assign(sequences.size() * vocab_size, 0);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      auto const tokens                       = manager.tokens(layout.sequences[sequences[i]]);
      m_logits[i * vocab_size + next(tokens)] = 1;
    }
  }
  std::span<float const> logits() override { return m_logits; }
  std::shared_ptr<KokkosKV::PageTransfer> make_transfer(std::uint32_t num_host_pages) override {
    return std::make_shared<KokkosKV::NoPageTransfer>(num_host_pages);
  }

  bool fails                 = false;
  std::uint32_t largest_step = 0;  ///< rows of the sequence that had the most in the last step

 private:
  ModelConfig m_config;
  std::uint32_t m_stops_at;
  std::vector<float> m_logits;
};

}  // namespace llama_generate::test
