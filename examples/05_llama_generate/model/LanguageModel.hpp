// A model as the scheduler sees it: it computes the steps of a page manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <manager/KokkosKV_PageManager.hpp>
#include <manager/KokkosKV_PageTransfer.hpp>

#include "model/ModelConfig.hpp"

namespace llama_generate {

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual ModelConfig const& config() const = 0;

  /// Bytes of weights that each step reads at least once.
  virtual std::size_t weight_bytes() const = 0;

  /// Launches a step: keys and values of all its rows go into their pages. To be called between
  /// prepare_step() and commit_step().
  /// \param sequences  those of the step, by their places in it, whose next token is wanted
  virtual void launch(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout,
                      std::span<std::uint32_t const> sequences) = 0;

  /// Logits of the token that follows each wanted sequence, `[sequences, vocab_size]`. Waits;
  /// valid until the next launch.
  virtual std::span<float const> logits() = 0;

  /// Moves pages of the model's pool.
  virtual std::shared_ptr<KokkosKV::PageTransfer> make_transfer(std::uint32_t num_host_pages) = 0;
};

}  // namespace llama_generate
