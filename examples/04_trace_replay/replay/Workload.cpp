// Numbers blocks and tokens.
#include "replay/Workload.hpp"

#include <string>
#include <unordered_map>
#include <utility>

#include "common/UsageError.hpp"

namespace trace_replay {
namespace {

using example::block_tokens;

/// Bijection, so that ids look like those of a tokenizer and stay different (finalizer of
/// MurmurHash3, Appleby, 2011).
std::uint32_t token_id(std::uint64_t number) {
  auto word = static_cast<std::uint32_t>(number);
  word      = (word ^ (word >> 16)) * 0x85EBCA6Bu;
  word      = (word ^ (word >> 13)) * 0xC2B2AE35u;
  return word ^ (word >> 16);
}

}  // namespace

Workload::Workload(std::vector<example::Request> requests) : m_requests(std::move(requests)) {
  constexpr std::uint64_t most_tokens = std::uint64_t(1) << 32;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  m_places.resize(size());
  auto const check = [](std::uint64_t tokens) {
    if (tokens <= most_tokens) return;
    throw example::UsageError("the trace has more than " + std::to_string(most_tokens) +
                              " different tokens (see --requests)");
  };
  for (std::size_t i = 0; i < size(); ++i) {
    auto const blocks = num_prompt_pages(i, block_tokens);
    auto& places      = m_places[i].blocks;
    m_num_blocks += blocks;
    check((m_num_distinct + blocks) * block_tokens);
    for (std::uint64_t block = 0; block < blocks; ++block) {
      auto number = static_cast<std::uint32_t>(m_num_distinct);
      if (!m_requests[i].block_ids.empty()) {
        number = numbers.try_emplace(m_requests[i].block_ids[block], number).first->second;
      }
      m_num_distinct += number == m_num_distinct;
      places.push_back(number);
    }
  }
  auto next = m_num_distinct * block_tokens;
  for (std::size_t i = 0; i < size(); ++i) {
    m_places[i].answer = next;
    next += m_requests[i].generated;
    check(next);
  }
}

void Workload::append_prompt(std::size_t index, PageShape page,
                             std::vector<std::uint32_t>& ids) const {
  auto const pages   = num_prompt_pages(index, page.tokens);
  auto const& blocks = m_places[index].blocks;
  ids.reserve(ids.size() + pages * page.ids);
  for (std::uint64_t first = 0; first < pages * page.tokens; first += page.tokens) {
    auto const number =
        std::uint64_t(blocks[first / block_tokens]) * block_tokens + first % block_tokens;
    for (std::uint32_t i = 0; i < page.ids; ++i) ids.push_back(token_id(number + i));
  }
}

std::uint32_t Workload::answer_token(std::size_t index, std::uint32_t place) const {
  return token_id(m_places[index].answer + place);
}

}  // namespace trace_replay
