// The pool of pages alone: what it needs of memory, which pages it gives, and how it finds them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/KokkosKV_PageHash.hpp>
#include <manager/impl/KokkosKV_PageKeys.hpp>
#include <manager/impl/KokkosKV_PageLine.hpp>
#include <manager/impl/KokkosKV_PagePool.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {
namespace {

using KokkosKV::EvictionKind;
using KokkosKV::hash_page;
using KokkosKV::make_eviction_policy;
using KokkosKV::null_page;
using KokkosKV::PageKey;
using KokkosKV::Impl::PageIndex;
using KokkosKV::Impl::PageKeys;
using KokkosKV::Impl::PageLine;
using KokkosKV::Impl::PagePool;

constexpr auto nobody = [](std::uint32_t) {};

PagePool make_pool(std::uint32_t num_pages, EvictionKind kind = EvictionKind::lru) {
  return PagePool(num_pages, 1, make_eviction_policy(kind));
}

/// A page of one token below a parent, with one reference.
std::uint32_t publish(PagePool& pool, std::uint32_t token, std::uint32_t parent = null_page) {
  auto const page = pool.take(nobody);
  pool.publish(page, {parent, 0}, {token, 0}, std::vector{token});
  return page;
}

TEST(PagePool, NeedsAtMostAHundredBytesAPageBesideTokens) {
  // One more than a power of two is the worst case of tables that have such sizes.
  for (std::uint32_t const num_pages : {1000000u, (1u << 20) + 1}) {
    auto const pool = make_pool(num_pages, EvictionKind::reuse_rate);
    EXPECT_LE(pool.memory_bytes(), std::size_t(100) * num_pages);
    // All of them: ghosts, entries and links of the policy, nodes, buckets, references.
    EXPECT_GE(pool.memory_bytes(), std::size_t(90) * num_pages);
  }
}

TEST(PagePool, GivesTheLowestPagesFirstAndWhatCameBackLast) {
  auto pool = make_pool(4);
  EXPECT_EQ(pool.num_free(), 4u);
  for (std::uint32_t page = 0; page < 3; ++page) EXPECT_EQ(pool.take(nobody), page);
  pool.release(1);
  pool.release(0);
  EXPECT_EQ(pool.num_free(), 3u);
  EXPECT_EQ(pool.take(nobody), 0u);
  EXPECT_EQ(pool.take(nobody), 1u);
  EXPECT_EQ(pool.take(nobody), 3u);
  EXPECT_EQ(pool.num_free(), 0u);
  EXPECT_EQ(pool.take(nobody), null_page);
}

TEST(PagePool, KeepsRaisedPagesLonger) {
  auto pool    = make_pool(3);
  auto const a = publish(pool, 1), b = publish(pool, 2), c = publish(pool, 3);
  pool.raise(a, 2);
  pool.raise(b, 1);
  for (auto const page : {a, b, c}) pool.release(page);
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 3; ++i) pool.take([&](std::uint32_t page) { order.push_back(page); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{c, b, a}));
}

/// Pages come and go; few keys, so that lines of the index overflow and fill up again.
TEST(PageIndex, FindsWhatIsPublished) {
  constexpr std::uint32_t num_pages = 60;
  PageIndex index(num_pages, 1);
  std::map<std::uint32_t, std::uint32_t> page_of;  // by token
  Random random(3);
  std::vector<std::uint32_t> free(num_pages);
  std::iota(free.begin(), free.end(), 0u);
  auto const key_of = [](std::uint32_t token) { return PageKey{token % 5, token % 3}; };
  for (int i = 0; i < 20000; ++i) {
    auto const token = static_cast<std::uint32_t>(random.below(100));
    auto const known = page_of.find(token);
    auto const found = index.find({null_page, 0}, key_of(token), std::vector{token});
    ASSERT_EQ(found, known == page_of.end() ? null_page : known->second);
    if (known != page_of.end()) {
      index.withdraw(known->second);
      free.push_back(known->second);
      page_of.erase(known);
    } else if (!free.empty()) {
      index.publish(free.back(), {null_page, 0}, key_of(token), std::vector{token});
      page_of[token] = free.back();
      free.pop_back();
    }
  }
}

TEST(PageLine, KeepsTwelvePagesByTheirTags) {
  PageLine line;
  auto const all = [](std::uint32_t) { return true; };
  EXPECT_EQ(PageLine::tag_of(0x500), PageLine::tag_of(0x601));
  for (std::uint32_t page = 0; page < 12; ++page) {
    auto const tag = static_cast<std::uint8_t>(page < 2 ? 255 : page);
    EXPECT_EQ(line.find(tag, all), page == 1 ? 0 : null_page);
    EXPECT_TRUE(line.insert(tag, page));
  }
  EXPECT_FALSE(line.insert(77, 12));
  for (std::uint32_t page = 2; page < 12; ++page)
    EXPECT_EQ(line.find(static_cast<std::uint8_t>(page), all), page);
  EXPECT_EQ(line.find(255, [](std::uint32_t page) { return page == 1; }), 1u);
  EXPECT_EQ(line.find(1, all), null_page);
  EXPECT_FALSE(line.erase(10, 11));
  EXPECT_TRUE(line.erase(11, 11));
  EXPECT_TRUE(line.erase(255, 0));
  EXPECT_EQ(line.find(11, all), null_page);
  EXPECT_EQ(line.find(255, all), 1u);
  EXPECT_TRUE(line.insert(77, 12));
  EXPECT_TRUE(line.insert(78, 13));
  EXPECT_FALSE(line.insert(79, 14));
  EXPECT_EQ(line.find(77, all), 12u);
  EXPECT_EQ(line.find(78, all), 13u);
}

TEST(PageKeys, AreThoseOfTheChain) {
  PagePool const pool(4, 3, make_eviction_policy(EvictionKind::reuse_rate));
  std::vector<std::uint32_t> tokens(3 * 50 + 2);
  std::iota(tokens.begin(), tokens.end(), 1u);
  std::vector<PageKey> chain{PageKey{5, 6}};
  for (std::size_t i = 0; i < 50; ++i)
    chain.push_back(hash_page(chain.back(), std::span(tokens).subspan(3 * i, 3)));
  PageKeys in_order(pool, &hash_page, chain[0], tokens), with_gaps(in_order);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(in_order.at(i), chain[i + 1]);
  for (std::size_t const i : {2, 2, 3, 20, 49}) EXPECT_EQ(with_gaps.at(i), chain[i + 1]);
}

TEST(PagePool, FindsPagesOfEqualKeysByTheirTokens) {
  PagePool pool(4, 2, make_eviction_policy(EvictionKind::lru));
  using Tokens = std::vector<std::uint32_t>;
  std::vector<std::uint32_t> pages;
  for (std::uint32_t i = 0; i < 4; ++i) {
    pages.push_back(pool.take(nobody));
    pool.publish(pages[i], {null_page, i % 2}, {7, 7}, Tokens{i / 2, 5});
  }
  auto const find = [&](std::uint32_t i) {
    return pool.index().find({null_page, i % 2}, {7, 7}, Tokens{i / 2, 5});
  };
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(find(i), pages[i]);
  pool.release(pages[1]);
  pool.discard(pages[1]);
  EXPECT_EQ(find(1), null_page);
  EXPECT_FALSE(pool.index().is_published(pages[1]));
  for (std::uint32_t const i : {0, 2, 3}) EXPECT_EQ(find(i), pages[i]);
}

}  // namespace
}  // namespace KokkosKVTest
