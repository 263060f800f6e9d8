// The real model: a published text, the same tokens alone and in a crowd, narrower caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <format/KokkosKV_Bf16.hpp>

#include "ModelData.hpp"
#include "model/Checkpoint.hpp"
#include "model/MakeModel.hpp"
#include "model/ModelShapes.hpp"
#include "model/Tokenizer.hpp"
#include "serving/Scheduler.hpp"

namespace llama_generate {
namespace {

using Tokens = std::vector<std::uint32_t>;

class Generation : public test::WithModel {
 protected:
  std::unique_ptr<LanguageModel> model(PoolOptions const& pool,
                                       std::string const& weight_type = "float") {
    return make_model({}, read_checkpoint(test::data_path("stories260K.bin")), pool, weight_type);
  }

  static Tokens complete(LanguageModel& model, SchedulerOptions const& options,
                         Request const& request) {
    Scheduler scheduler(model, options);
    auto const id = scheduler.submit(request);
    while (scheduler.step()) continue;
    return scheduler.completion(id).tokens;
  }
};

class PublishedText : public Generation, public testing::WithParamInterface<int> {};

TEST_P(PublishedText, comes_out_exactly) {
  auto const reference = test::read_reference();
  ASSERT_EQ(reference.tokens.size(), 257u);
  auto const size = static_cast<std::uint32_t>(GetParam());
  auto const made = model({.page_size = GetParam(), .num_pages = 300});
  auto tokens     = complete(*made, {.num_pages = 300, .page_size = size}, {{bos_token}, 256});
  tokens.insert(tokens.begin(), bos_token);
  EXPECT_EQ(tokens, reference.tokens);
  EXPECT_EQ(read_tokenizer(test::data_path("tok512.bin"), 512).decode(tokens), reference.text);
}
INSTANTIATE_TEST_SUITE_P(PageSize, PublishedText, testing::Values(1, 5, 16, 64));

TEST_F(Generation, continues_the_published_text_from_any_prompt) {
  auto const reference = test::read_reference().tokens;
  auto const made      = model({.page_size = 5, .num_pages = 60});
  Scheduler scheduler(*made, {.num_pages = 60, .page_size = 5, .chunk = 16});
  for (std::ptrdiff_t length = 1; length < 257; length += 51) {
    scheduler.submit({Tokens(reference.begin(), reference.begin() + length),
                      static_cast<std::uint32_t>(257 - length)});
  }
  while (scheduler.step()) continue;
  for (std::size_t id = 0; id < scheduler.num_requests(); ++id) {
    auto const& tokens = scheduler.completion(id).tokens;
    EXPECT_EQ(tokens, Tokens(reference.end() - static_cast<std::ptrdiff_t>(tokens.size()),
                             reference.end()));
  }
}

TEST_F(Generation, uses_a_classifier_of_its_own) {
  // The same model with a copy of the embedding as classifier, and the embedding itself.
  auto const path = testing::TempDir() + "llama_untied.bin";
  std::filesystem::copy_file(test::data_path("stories260K.bin"), path,
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::permissions(path, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  auto const tied          = read_checkpoint(path);
  std::int32_t const vocab = -512;
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(5 * sizeof vocab);
    file.write(reinterpret_cast<char const*>(&vocab), sizeof vocab);
    file.seekp(0, std::ios::end);
    // Token t's row where that of token 511 - t was: the model then says 511 - t.
    for (std::size_t t = 512; t-- > 0;) {
      file.write(reinterpret_cast<char const*>(&tied.embedding[t * 64]), 64 * sizeof(float));
    }
  }
  auto const made = make_model({}, read_checkpoint(path), {.num_pages = 20});
  std::filesystem::remove(path);
  auto const reference = test::read_reference().tokens;
  for (std::ptrdiff_t length = 1; length < 12; ++length) {
    auto const next = complete(*made, {.num_pages = 20, .page_size = 16},
                               {Tokens(reference.begin(), reference.begin() + length), 1});
    EXPECT_EQ(next, Tokens({511 - reference[static_cast<std::size_t>(length)]}));
  }
}

/// 64 prompts: beginnings of 8 texts that the model made up.
std::vector<Request> crowd(LanguageModel& model, SchedulerOptions const& options) {
  constexpr std::uint32_t texts = 8, new_tokens = 60;
  Scheduler scheduler(model, options);
  for (std::uint32_t text = 0; text < texts; ++text) {
    scheduler.submit({{bos_token}, 110, {.temperature = 0.9f, .top_p = 0.95f, .seed = 40 + text}});
  }
  while (scheduler.step()) continue;
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 64; ++i) {
    Tokens prompt{bos_token};
    auto const& text  = scheduler.completion(i % texts).tokens;
    auto const length = std::min<std::size_t>(text.size(), 12 + 13 * (i / texts));
    prompt.insert(prompt.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    // Half of them greedy.
    requests.push_back(
        {prompt, new_tokens, {.temperature = i % 2 == 0 ? 0.0f : 0.8f, .top_p = 0.9f, .seed = i}});
  }
  return requests;
}

struct CrowdSetting {
  std::string cache_type;
  std::uint32_t page_size, num_pages, host_pages;
};

class Crowd : public Generation, public testing::WithParamInterface<CrowdSetting> {};

TEST_P(Crowd, makes_each_text_as_if_alone) {
  auto const& [cache_type, page_size, num_pages, host_pages] = GetParam();
  // A BLAS, where float weights have one, sums in an order that depends on the batch; what a narrow
  // cache rounds would show it. Products of narrower weights do not.
  auto const made = model({cache_type, static_cast<int>(page_size), num_pages}, cache_type);
  SchedulerOptions options{num_pages, page_size, 24, 32, 0};
  auto const requests = crowd(*made, options);
  std::vector<Tokens> alone;
  for (auto const& request : requests) alone.push_back(complete(*made, options, request));

  options.host_pages = host_pages;
  Scheduler scheduler(*made, options);
  for (auto const& request : requests) scheduler.submit(request);
  while (scheduler.step()) continue;
  for (std::size_t id = 0; id < requests.size(); ++id) {
    EXPECT_EQ(scheduler.completion(id).tokens, alone[id]) << "request " << id;
  }
  auto const& pages = scheduler.manager().statistics();
  EXPECT_GT(scheduler.statistics().preemptions, 0u);
  EXPECT_GT(pages.hit_pages, 0u);
  EXPECT_GT(pages.evicted_pages, 0u);
  EXPECT_EQ(pages.swapped_out > 0, host_pages > 0);
  EXPECT_EQ(pages.swapped_in, pages.swapped_out);
  EXPECT_EQ(scheduler.manager().page_counts().used, 0u);
}
INSTANTIATE_TEST_SUITE_P(
    Pools, Crowd,
    testing::Values(CrowdSetting{"float", 16, 90, 300}, CrowdSetting{"float", 5, 250, 0},
                    CrowdSetting{"float", 1, 1300, 200}, CrowdSetting{"bf16", 16, 90, 20},
                    CrowdSetting{"half", 64, 30, 40}),
    [](auto const& pool) {
      return pool.param.cache_type + "_" + std::to_string(pool.param.page_size);
    });

/// Distributions of the token after each token of a text, all of one layout `[tokens, vocab]`.
std::vector<double> distributions(LanguageModel& model, Tokens const& text) {
  KokkosKV::PageManager manager({.num_pages = 20, .page_size = 16});
  auto const id = manager.create({});
  std::vector<double> result;
  for (auto const token : text) {
    manager.append(id, std::span(&token, 1));
    KokkosKV::StepRequest const request{id};
    auto const layout          = manager.prepare_step(std::span(&request, 1));
    std::uint32_t const wanted = 0;
    model.launch(manager, layout, std::span(&wanted, 1));
    manager.commit_step();
    auto const logits = model.logits();
    double sum        = 0;
    for (auto const logit : logits) sum += std::exp(static_cast<double>(logit));
    for (auto const logit : logits) result.push_back(std::exp(static_cast<double>(logit)) / sum);
  }
  return result;
}

double mean_divergence(std::vector<double> const& p, std::vector<double> const& q,
                       std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * std::log(p[i] / q[i]);
  return sum / static_cast<double>(count);
}

TEST_F(Generation, narrower_caches_change_little) {
  auto const text     = test::read_reference().tokens;
  auto const of_cache = [&](std::string const& type) {
    return distributions(*model({.cache_type = type, .num_pages = 20}), text);
  };
  auto const exact     = of_cache("float");
  auto const with_bf16 = mean_divergence(exact, of_cache("bf16"), text.size());
  auto const with_half = mean_divergence(exact, of_cache("half"), text.size());
  RecordProperty("bf16", std::to_string(with_bf16));
  EXPECT_LT(with_bf16, 1e-3);
  EXPECT_LT(with_half, 1e-5);
  // They do round.
  EXPECT_GT(with_bf16, with_half);
  EXPECT_GT(with_half, 0);
  std::printf("mean KL divergence: bf16 %.3g, half %.3g\n", with_bf16, with_half);
}

TEST_F(Generation, narrower_weights_change_little) {
  auto const text    = test::read_reference().tokens;
  auto const of_type = [&](std::string const& type) {
    return distributions(*model({.num_pages = 20}, type), text);
  };
  auto const exact     = of_type("float");
  auto const with_bf16 = mean_divergence(exact, of_type("bf16"), text.size());
  auto const with_half = mean_divergence(exact, of_type("half"), text.size());
  EXPECT_LT(with_bf16, 1e-2);
  EXPECT_LT(with_half, 1e-4);
  EXPECT_GT(with_bf16, with_half);
  EXPECT_GT(with_half, 0);
}

TEST(RandomWeights, follow_their_seed) {
  auto const config = find_model_shape("stories260k").value();
  auto const tokens = [&](std::uint64_t seed) {
    auto const made = make_random_model({}, config, seed, {.num_pages = 4}, "bf16");
    EXPECT_EQ(made->weight_bytes() % sizeof(KokkosKV::bf16), 0u);
    Scheduler scheduler(*made, {.num_pages = 4, .page_size = 16});
    auto const id = scheduler.submit({{bos_token}, 40});
    while (scheduler.step()) continue;
    return scheduler.completion(id).tokens;
  };
  EXPECT_EQ(tokens(1), tokens(1));
  EXPECT_NE(tokens(1), tokens(2));
}

TEST_F(Generation, refuses_what_is_not_compiled) {
  EXPECT_EQ(test::refusal([&] { model({.page_size = 7, .num_pages = 2}); }),
            "pages of 7 tokens of 4 key/value heads of size 8 in float are not compiled (see "
            "CompiledModels.hpp)");
  EXPECT_EQ(test::refusal([&] { model({.num_pages = 1u << 31}); }),
            "no memory for the model and 2147483648 pages (see --pages)");
}

}  // namespace
}  // namespace llama_generate
