// The domains in use, by number: what the roots of the page tree are.
#ifndef KOKKOSKV_IMPL_PREFIXDOMAINS_HPP
#define KOKKOSKV_IMPL_PREFIXDOMAINS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <manager/KokkosKV_PageHash.hpp>
#include <manager/KokkosKV_PageKey.hpp>

namespace KokkosKV::Impl {

/// Domains are compared as a whole once, when a sequence is created; from then on by their numbers.
class PrefixDomains {
 public:
  /// The number of a domain, with one more reference.
  std::uint32_t retain(PrefixDomain const& domain) {
    if (m_free.empty()) add_number();
    auto const [place, is_new] = m_numbers.try_emplace(domain, 0);
    if (is_new) {
      place->second = m_free.back();
      m_free.pop_back();
      m_entries[place->second] = {&place->first, hash_domain(domain), 0};
    }
    ++m_entries[place->second].references;
    return place->second;
  }

  void retain(std::uint32_t number) { ++m_entries[number].references; }

  void release(std::uint32_t number) {
    auto& entry = m_entries[number];
    if (--entry.references > 0) return;
    m_numbers.erase(m_numbers.find(*entry.domain));
    m_free.push_back(number);
  }

  /// The number of a domain that is in use, or no_domain.
  std::uint32_t find(PrefixDomain const& domain) const {
    auto const found = m_numbers.find(domain);
    return found == m_numbers.end() ? no_domain : found->second;
  }

  /// Domains in use.
  std::size_t size() const { return m_numbers.size(); }

  PageKey key(std::uint32_t number) const { return m_entries[number].key; }

  static constexpr std::uint32_t no_domain = 0xFFFFFFFFu;

 private:
  /// May throw, but has changed nothing then; release() needs no memory afterwards.
  void add_number() {
    m_free.reserve(m_entries.size() + 1);
    m_entries.emplace_back();
    m_free.push_back(static_cast<std::uint32_t>(m_entries.size() - 1));
  }

  struct Entry {
    PrefixDomain const* domain = nullptr;  ///< the key in the map, which stays in place
    PageKey key{};
    std::size_t references = 0;
  };

  std::map<PrefixDomain, std::uint32_t> m_numbers;
  std::vector<Entry> m_entries;
  std::vector<std::uint32_t> m_free;
};

}  // namespace KokkosKV::Impl

#endif
