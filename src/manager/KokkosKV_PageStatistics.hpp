// What a PageManager counts, as plain structs and as JSON.
#ifndef KOKKOSKV_PAGESTATISTICS_HPP
#define KOKKOSKV_PAGESTATISTICS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace KokkosKV {

/// Where the pages are.
struct PageCounts {
  std::uint64_t free        = 0;  ///< without contents
  std::uint64_t cached      = 0;  ///< with contents, of no sequence; may be evicted
  std::uint64_t used        = 0;  ///< of sequences and pins
  std::uint64_t host_free   = 0;  ///< host pages without contents
  std::uint64_t host_cached = 0;  ///< host pages that may be evicted
  std::uint64_t host_used   = 0;  ///< host pages of sequences that are swapped out
  std::uint64_t in_files    = 0;  ///< pages of the file tier
  /// Tokens for which the last pages of sequences have room: internal fragmentation. A page that
  /// several sequences have counts for each.
  std::uint64_t unused_slots = 0;
};

/// What has happened so far.
struct PageStatistics {
  std::uint64_t hit_pages        = 0;  ///< of committed steps: taken from the pool, not computed
  std::uint64_t hit_host_pages   = 0;  ///< of committed steps: brought back from host pages
  std::uint64_t hit_file_pages   = 0;  ///< read from files to host pages
  std::uint64_t computed_pages   = 0;  ///< misses: full pages that were computed and published
  std::uint64_t partial_hits     = 0;  ///< sequences that began with a part of a page of others
  std::uint64_t evicted_pages    = 0;  ///< cached ones that made room
  std::uint64_t copied_pages     = 0;  ///< in committed steps, before writing into what others read
  std::uint64_t kept_pages       = 0;  ///< copied to host pages: evicted ones and those before them
  std::uint64_t evicted_host     = 0;  ///< host pages that made room
  std::uint64_t written_files    = 0;  ///< pages written to the file tier
  std::uint64_t swapped_out      = 0;  ///< sequences that went to host pages
  std::uint64_t swapped_in       = 0;  ///< sequences that came back
  std::uint64_t swapped_to_files = 0;  ///< sequences that went on from host pages to files
  std::uint64_t lost_tokens      = 0;  ///< of sequences that came back without them
  std::uint64_t failed_transfers =
      0;                             ///< pages that host pages could not get, evicted or from files
  std::uint64_t failed_files   = 0;  ///< pages that could not be written to files or read
  std::uint64_t failed_events  = 0;  ///< calls of the event callback that threw
  std::uint64_t prepared_steps = 0;  ///< also those that were abandoned
  std::uint64_t refused_steps  = 0;  ///< for lack of pages
};

/// All that a manager tells of itself.
struct ManagerStatistics {
  PageCounts pages;             ///< now
  PageStatistics events;        ///< so far
  std::uint64_t sequences = 0;  ///< that are not freed
  std::uint64_t domains   = 0;  ///< prefix domains of sequences and of pages with contents
};

namespace Impl {

/// Calls `field(name, member)` for each number of the statistics.
template <class Statistics, class Field>
void for_each_field(Statistics& statistics, Field&& field) {
  auto& pages = statistics.pages;
  field("free", pages.free);
  field("cached", pages.cached);
  field("used", pages.used);
  field("host_free", pages.host_free);
  field("host_cached", pages.host_cached);
  field("host_used", pages.host_used);
  field("in_files", pages.in_files);
  field("unused_slots", pages.unused_slots);
  auto& events = statistics.events;
  field("hit_pages", events.hit_pages);
  field("hit_host_pages", events.hit_host_pages);
  field("hit_file_pages", events.hit_file_pages);
  field("computed_pages", events.computed_pages);
  field("partial_hits", events.partial_hits);
  field("evicted_pages", events.evicted_pages);
  field("copied_pages", events.copied_pages);
  field("kept_pages", events.kept_pages);
  field("evicted_host", events.evicted_host);
  field("written_files", events.written_files);
  field("swapped_out", events.swapped_out);
  field("swapped_in", events.swapped_in);
  field("swapped_to_files", events.swapped_to_files);
  field("lost_tokens", events.lost_tokens);
  field("failed_transfers", events.failed_transfers);
  field("failed_files", events.failed_files);
  field("failed_events", events.failed_events);
  field("prepared_steps", events.prepared_steps);
  field("refused_steps", events.refused_steps);
  field("sequences", statistics.sequences);
  field("domains", statistics.domains);
}

/// Numbers of the statistics.
inline constexpr std::size_t num_statistics = sizeof(ManagerStatistics) / sizeof(std::uint64_t);

}  // namespace Impl

/// The statistics as one JSON object with a number for each member, under its name.
inline std::string to_json(ManagerStatistics const& statistics) {
  std::string text;
  Impl::for_each_field(statistics, [&](char const* name, std::uint64_t value) {
    text += text.empty() ? "{\"" : ", \"";
    text += std::string(name) + "\": " + std::to_string(value);
  });
  return text + "}";
}

}  // namespace KokkosKV

#endif
