// The loop of docs/manager.md, word for word, with a model that is no more than arithmetic.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;
using Blocks    = Kokkos::View<float*** [4][2][8], ExecSpace::memory_space>;
using Rows      = Kokkos::View<float***, Kokkos::LayoutRight, ExecSpace::memory_space>;

/// Each token follows from all tokens before it: the attention over equal weights is their mean.
class Model {
 public:
  static constexpr int num_layers = 2, num_query_heads = 4;

  explicit Model(ExecSpace const& exec) : m_exec(exec) {}

  /// Input of a step: the token ids of its rows.
  void begin(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const tokens = manager.tokens(layout.sequences[i]);
      auto const begin  = tokens.begin() + layout.cache_lengths[i];
      rows.insert(rows.end(), begin, begin + layout.row_offsets[i + 1] - layout.row_offsets[i]);
    }
    queries         = Rows("queries", rows.size(), num_query_heads, 8);
    output          = Rows("output", rows.size(), num_query_heads, 8);
    keys            = Rows("keys", rows.size(), 2, 8);
    values          = Rows("values", rows.size(), 2, 8);
    auto const host = Kokkos::create_mirror_view(values);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (int head = 0; head < 2; ++head) {
        for (int dim = 0; dim < 8; ++dim) host(row, head, dim) = static_cast<float>(rows[row]);
      }
    }
    Kokkos::deep_copy(m_exec, values, host);
    Kokkos::deep_copy(m_exec, output, 0);
  }

  /// The token that follows the last row of each sequence. Waits.
  std::vector<std::uint32_t> sample(KokkosKV::StepLayout const& layout) const {
    m_exec.fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const end = layout.row_offsets[i + 1];
      result.push_back(end == layout.row_offsets[i] ? 0 : follower(host(end - 1, 0, 0)));
    }
    return result;
  }
  static std::uint32_t follower(float mean) {
    return static_cast<std::uint32_t>(mean * 8 + 0.5f) % 97;
  }

  Rows queries, keys, values, output;

 private:
  ExecSpace m_exec;
};

struct Request {
  std::vector<std::uint32_t> prompt;
  std::size_t num_tokens;  ///< of prompt and answer
};

// begin of the loop
using namespace KokkosKV;

/// The layers of a step: what an engine launches between prepare_step() and commit_step().
void run_layers(ExecSpace const& exec, Blocks const& blocks, Model& model,
                StepBatch<ExecSpace> const& step) {
  auto const cache =
      generic_get_paged_cache(blocks, step.cache_lengths, step.lookup_table, step.max_prompt_length,
                              step.max_cache_length, unchecked);
  step.copy_pages(exec, cache);
  AttentionPlan<ExecSpace> const plan(exec, {Model::num_query_heads, 2, 8, 8},
                                      step.host_row_offsets, step.host_cache_lengths);
  for (int layer = 0; layer < Model::num_layers; ++layer) {
    auto const keys = cache.get_key_cache(layer), values = cache.get_value_cache(layer);
    kv_cache_store_ragged_key_value(exec, keys, values, step.row_offsets, model.keys, model.values,
                                    unchecked);
    paged_attention(exec, plan, model.queries, keys, values, step.row_offsets, model.output);
  }
}

/// Serves requests until none is left; `done(request, tokens)` gets each answer.
template <class Done>
void serve(ExecSpace const& exec, Blocks const& blocks, Model& model,
           std::vector<Request> const& requests, std::uint32_t num_host_pages, Done const& done) {
  PageManager manager(
      {.num_pages = static_cast<std::uint32_t>(blocks.extent(0)), .page_size = 4},
      {std::make_shared<PoolTransfer<ExecSpace, Blocks>>(exec, blocks, num_host_pages)});
  StepBatcher<ExecSpace> batcher(exec, 16, 64);
  std::map<SequenceId, Request const*> served;
  std::deque<SequenceId> waiting, running;  // in the order in which they came
  for (auto const& request : requests)
    served[waiting.emplace_back(manager.create(request.prompt))] = &request;
  for (bool has_room = true; !waiting.empty() || !running.empty();) {
    while (has_room && !waiting.empty() && running.size() < 16 &&
           (manager.state(waiting.front()) == SequenceState::resident ||
            manager.swap_in(waiting.front()).fits())) {
      running.push_back(waiting.front());
      waiting.pop_front();
    }
    std::vector<StepRequest> wanted;  // at most 8 rows of each: long prompts go in chunks
    for (auto const id : running) wanted.push_back({id, 8});
    auto const layout = manager.prepare_step(wanted);
    if (!layout.fits()) {  // the youngest gives way
      if (running.size() == 1) throw std::runtime_error("the pool is too small for one request");
      if (!manager.swap_out(running.back()).fits()) manager.release_pages(running.back());
      waiting.push_front(running.back());
      running.pop_back();
      has_room = false;  // until somebody is done
      continue;
    }
    model.begin(manager, layout);
    run_layers(exec, blocks, model, batcher.load(exec, manager, layout));
    manager.commit_step();
    auto const next = model.sample(layout);
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const id = layout.sequences[i];
      if (manager.num_stored(id) < manager.tokens(id).size()) continue;  // its prompt goes on
      if (manager.tokens(id).size() < served[id]->num_tokens) {
        manager.append(id, {&next[i], 1});
        continue;
      }
      done(*served[id], manager.tokens(id));
      manager.free(id);
      std::erase(running, id);
      has_room = true;
    }
  }
}
// end of the loop

/// What a request gives by itself.
std::vector<std::uint32_t> expected_tokens(Request const& request) {
  auto tokens = request.prompt;
  while (tokens.size() < request.num_tokens) {
    double sum = 0;
    for (auto const token : tokens) sum += token;
    tokens.push_back(Model::follower(static_cast<float>(sum / static_cast<double>(tokens.size()))));
  }
  return tokens;
}

TEST(EngineLoop, ServesRequestsInAPoolThatIsTooSmallForAll) {
  ExecSpace const exec;
  for (std::uint32_t const num_host_pages : {0u, 6u, 200u}) {
    SCOPED_TRACE(num_host_pages);
    Blocks const blocks("blocks", 14, 2, Model::num_layers);
    Model model(exec);
    std::vector<Request> requests;
    for (std::uint32_t i = 0; i < 30; ++i) {
      std::vector<std::uint32_t> prompt;
      for (std::uint32_t t = 0; t < 3 + i * 7 % 20; ++t)
        prompt.push_back((i % 3 * 31 + t * t) % 97);
      requests.push_back({prompt, prompt.size() + 1 + i % 17});
    }
    std::size_t num_done = 0;
    serve(exec, blocks, model, requests, num_host_pages, [&](Request const& request, auto tokens) {
      ++num_done;
      EXPECT_EQ(std::vector<std::uint32_t>(tokens.begin(), tokens.end()), expected_tokens(request));
    });
    EXPECT_EQ(num_done, 30u);
  }
}

std::string read(std::filesystem::path const& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EngineLoop, IsTheOneOfTheDocumentation) {
  std::filesystem::path const source = KOKKOSKV_SOURCE_DIR;
  auto const code                    = read(source / "unit_test/manager/EngineLoop.cpp");
  std::string const begin = "// begin of the loop\n", end = "// end of the loop\n";
  auto const first = code.find("\n" + begin) + 1 + begin.size();
  auto const loop  = code.substr(first, code.find("\n" + end) + 1 - first);
  EXPECT_NE(read(source / "docs/manager.md").find("```cpp\n" + loop + "```"), std::string::npos)
      << "docs/manager.md must have:\n"
      << loop;
}

}  // namespace
