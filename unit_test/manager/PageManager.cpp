// PageManager: small cases whose results are known, and refusals.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>
#include <support/Refusal.hpp>

#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

/// Prepares and commits a step of all rows of one sequence.
StepLayout step(PageManager& manager, SequenceId id,
                std::uint32_t max_rows = StepRequest::all_rows) {
  StepRequest const request{id, max_rows};
  auto layout = manager.prepare_step({&request, 1});
  if (layout.fits()) manager.commit_step();
  return layout;
}

TEST(PageManager, ReusedLengthAndRowsAgree) {
  PageManager manager({.num_pages = 16, .page_size = 4});
  step(manager, manager.create(counting(13, 0)));
  auto const id     = manager.create(counting(20, 0));
  auto const layout = step(manager, id);
  EXPECT_EQ(layout.cache_lengths, std::vector<std::uint32_t>{12});
  EXPECT_EQ(layout.row_offsets, (std::vector<std::uint32_t>{0, 8}));
  EXPECT_EQ(layout.max_prompt_length, 8u);
  EXPECT_EQ(layout.max_cache_length, 12u);
  EXPECT_EQ(layout.max_pages, 5u);
  EXPECT_EQ(manager.num_stored(id), 20u);
}

TEST(PageManager, EqualPromptsOfOneStepSharePages) {
  PageManager manager({.num_pages = 16, .page_size = 4});
  auto const tokens = counting(8, 0);
  std::vector<StepRequest> const requests{{manager.create(tokens)}, {manager.create(tokens)}};
  // Whoever abandons the step has stored nothing: nobody may find its pages.
  EXPECT_EQ(manager.prepare_step(requests).cache_lengths, (std::vector<std::uint32_t>{0, 4}));
  manager.abandon_step();
  EXPECT_EQ(manager.page_counts().free, 16u);
  auto const third = counting(9, 0);
  EXPECT_EQ(manager.count_cached_tokens(third), 0u);
  EXPECT_EQ(manager.prepare_step(requests).cache_lengths, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(manager.count_cached_tokens(third), 0u);
  manager.commit_step();
  EXPECT_EQ(manager.count_cached_tokens(third), 8u);
  // Both computed the last page, for its last token; one of the two was enough.
  EXPECT_EQ(manager.page_counts().used, 2u);
}

TEST(PageManager, DomainsAreApart) {
  PageManager manager({.num_pages = 32, .page_size = 4});
  auto const tokens = counting(16, 0);
  std::vector<PrefixDomain> const domains{
      {"x", "", ""}, {"", "x", ""}, {"xy", "", ""}, {"x", "y", ""}};
  for (auto const& domain : domains) {
    EXPECT_EQ(manager.count_cached_tokens(tokens, domain), 0u);
    step(manager, manager.create(tokens, domain));
    EXPECT_EQ(manager.count_cached_tokens(tokens, domain), 16u);
  }
  EXPECT_EQ(manager.page_counts().used, 16u);
  EXPECT_EQ(manager.count_cached_tokens(tokens), 0u);
}

TEST(PageManager, ForksWriteIntoCopies) {
  PageManager manager({.num_pages = 12, .page_size = 2});
  auto const a = manager.create(counting(9, 0));
  step(manager, a);
  auto const b = manager.fork(a);
  EXPECT_EQ(manager.num_references(manager.pages(a)[4]), 2u);
  manager.append(b, counting(3, 100));
  auto const layout = step(manager, b);
  EXPECT_EQ(layout.copies, (std::vector<PageCopy>{{manager.pages(a)[4], manager.pages(b)[4]}}));
  manager.append(a, counting(2, 200));
  EXPECT_TRUE(step(manager, a).copies.empty());
  manager.free(b);
  manager.free(a);
  auto const counts = manager.page_counts();
  EXPECT_EQ(counts.used, 0u);
  // Five full pages of `a`, and two of `b` that are its own.
  EXPECT_EQ(counts.cached, 7u);
  EXPECT_EQ(counts.free, 5u);
}

TEST(PageManager, TwoForksInOneStepCopyOnce) {
  PageManager manager({.num_pages = 12, .page_size = 4});
  auto const a = manager.create(counting(6, 0));
  step(manager, a);
  auto const b = manager.fork(a);
  manager.append(a, counting(1, 7));
  manager.append(b, counting(1, 8));
  std::vector<StepRequest> const requests{{a}, {b}};
  EXPECT_EQ(manager.prepare_step(requests).copies.size(), 1u);
  manager.commit_step();
  EXPECT_NE(manager.pages(a)[1], manager.pages(b)[1]);
}

TEST(PageManager, SharedPagesCountOnce) {
  PageManager manager({.num_pages = 10, .page_size = 4});
  auto const a = manager.create(counting(12, 0));
  step(manager, a);
  auto const b = manager.fork(a), c = manager.fork(a);
  for (auto const id : {a, b, c}) {
    EXPECT_EQ(manager.page_counts().used, 3u);
    manager.free(id);
    auto const counts = manager.page_counts();
    EXPECT_EQ(counts.used + counts.cached + counts.free, 10u);
  }
  EXPECT_EQ(manager.page_counts().cached, 3u);
}

TEST(PageManager, ChunksRoundToPages) {
  PageManager manager({.num_pages = 8, .page_size = 16});
  auto const id = manager.create(counting(37, 0));
  std::vector<std::uint64_t> used;
  for (std::uint32_t const rows : {16, 5, 16}) {
    step(manager, id, rows);
    used.push_back(manager.page_counts().used);
  }
  manager.append(id, counting(3, 900));
  step(manager, id);
  used.push_back(manager.page_counts().used);
  EXPECT_EQ(used, (std::vector<std::uint64_t>{1, 2, 3, 3}));
  manager.free(id);
  EXPECT_EQ(manager.page_counts().cached, 2u);
  EXPECT_EQ(manager.page_counts().free, 6u);
}

TEST(PageManager, StepsThatDoNotFitChangeNothing) {
  PageManager manager({.num_pages = 4, .page_size = 2});
  auto const a = manager.create(counting(4, 0));
  step(manager, a);
  auto const b      = manager.create(counting(9, 0));
  auto const layout = step(manager, b);
  EXPECT_FALSE(layout.fits());
  // Two of its five pages are those of `a`, two are free.
  EXPECT_EQ(layout.missing_pages, 1u);
  EXPECT_EQ(manager.page_counts().free, 2u);
  EXPECT_EQ(manager.num_references(manager.pages(a)[0]), 1u);
  EXPECT_EQ(manager.num_stored(b), 0u);
  EXPECT_TRUE(step(manager, b, 8 - 4).fits());
}

TEST(PageManager, TruncatedSequencesLeavePublishedPagesAlone) {
  PageManager manager({.num_pages = 8, .page_size = 4});
  auto const id = manager.create(counting(8, 0));
  step(manager, id);
  manager.truncate(id, 6);
  manager.append(id, counting(2, 50));
  EXPECT_EQ(step(manager, id).copies.size(), 1u);
  EXPECT_EQ(manager.count_cached_tokens(counting(8, 0)), 8u);
}

TEST(PageManager, Refusals) {
  PageManager manager({.num_pages = 4, .page_size = 2});
  auto const id = manager.create({});
  expect_refusal<SequenceError>("fork: sequence 0: found no tokens, expected at least one token",
                                [&] { manager.fork(id); });
  expect_refusal<ShapeError>(
      "truncate: num_tokens: found 1, expected at most 0, the tokens of sequence 0",
      [&] { manager.truncate(id, 1); });
  expect_refusal<SequenceError>(
      "append: sequence 5: found unknown, expected a sequence of this manager",
      [&] { manager.append(5, {}); });
  expect_refusal<SequenceError>("commit_step: step: found none, expected a prepared one",
                                [&] { manager.commit_step(); });
  std::vector<StepRequest> const twice{{id}, {id}};
  expect_refusal<SequenceError>(
      "prepare_step: requests[1]: found sequence 0, expected each sequence once",
      [&] { manager.prepare_step(twice); });
  std::vector<StepRequest> const once{{id}};
  manager.prepare_step(once);
  expect_refusal<SequenceError>(
      "free: sequence 0: found in a step, expected no step that is not "
      "committed",
      [&] { manager.free(id); });
  expect_refusal<SequenceError>(
      "prepare_step: step: found one that is not committed, expected none",
      [&] { manager.prepare_step(once); });
  manager.commit_step();
  manager.free(id);
  expect_refusal<SequenceError>(
      "free: sequence 0: found freed, expected a sequence of this manager",
      [&] { manager.free(id); });
  expect_refusal<ShapeError>("PageManager: options.page_size: found 0, expected 1 to 4294967295",
                             [] { PageManager({.num_pages = 4}); });
  expect_refusal<ShapeError>(
      "PageManager: options.num_pages: found 2147483648, expected 1 to 2147483647",
      [] { PageManager({.num_pages = 0x80000000u, .page_size = 1}); });
  expect_refusal<ShapeError>("PageManager: options.hash: found null, expected a function", [] {
    PageManager({.num_pages = 1, .page_size = 1, .hash = nullptr});
  });
  expect_refusal<ShapeError>("PageManager: policy: found null, expected a policy", [] {
    PageManager({.num_pages = 1, .page_size = 1}, std::unique_ptr<EvictionPolicy>());
  });
}

TEST(PageManager, TableVersionsFollowReplacedPages) {
  PageManager manager({.num_pages = 8, .page_size = 4});
  // Two sequences fill equal pages in the same step: one page is enough.
  std::vector<StepRequest> const both{{manager.create(counting(2, 0))},
                                      {manager.create(counting(2, 0))}};
  auto const id = both[1].sequence;
  manager.prepare_step(both);
  manager.commit_step();
  auto version    = manager.table_version(id);
  auto const page = manager.pages(id)[0];
  for (auto const& request : both) manager.append(request.sequence, counting(2, 2));
  manager.prepare_step(both);
  manager.commit_step();
  ASSERT_NE(manager.pages(id)[0], page);
  EXPECT_NE(manager.table_version(id), version);
  // A copy that is taken back.
  manager.append(id, counting(2, 4));
  step(manager, id);
  auto const child = manager.fork(id);
  manager.append(child, counting(1, 6));
  StepRequest const request{child};
  manager.prepare_step({&request, 1});
  version         = manager.table_version(child);
  auto const copy = manager.pages(child)[1];
  manager.abandon_step();
  ASSERT_NE(manager.pages(child)[1], copy);
  EXPECT_NE(manager.table_version(child), version);
}

TEST(PageManager, PartsOfPagesLeaveTheLastToken) {
  PageManager manager({.num_pages = 8, .page_size = 4, .reuse_partial_pages = true});
  auto const id = manager.create(counting(8, 0));
  step(manager, id);
  manager.free(id);
  auto const layout = step(manager, manager.create(counting(7, 0)));
  EXPECT_EQ(layout.cache_lengths[0], 6u);
  EXPECT_EQ(layout.row_offsets[1], 1u);
}

TEST(PageManager, PartsOfPagesAreFoundAmongSiblings) {
  PageManager manager({.num_pages = 30, .page_size = 8, .reuse_partial_pages = true});
  auto tokens = counting(8, 0);
  for (std::uint32_t i = 0; i < 9; ++i) {
    if (i > 0) tokens[3] = 100 + i;
    auto const id = manager.create(tokens);
    step(manager, id);
    manager.free(id);
  }
  tokens    = counting(8, 0);
  tokens[7] = 99;
  EXPECT_EQ(step(manager, manager.create(tokens)).cache_lengths[0], 7u);
}

}  // namespace KokkosKVTest
