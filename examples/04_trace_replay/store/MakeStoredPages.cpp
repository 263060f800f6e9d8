// From the page size at run time to the pool compiled for it.
#include <iterator>
#include <string>
#include <utility>

#include "common/UsageError.hpp"
#include "store/PagedStore.hpp"
#include "store/StoredPageSizes.hpp"

namespace trace_replay {

std::unique_ptr<StoredPages> make_stored_pages(std::uint32_t num_pages, std::uint32_t page_ids) {
  std::unique_ptr<StoredPages> result;
  auto const try_size = [&]<std::size_t Index>() {
    constexpr int size = stored_page_sizes[Index];
    if (page_ids == size) result = std::make_unique<PagedStore<size>>(num_pages);
  };
  try {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      (try_size.template operator()<Index>(), ...);
    }(std::make_index_sequence<std::size(stored_page_sizes)>{});
  } catch (std::exception const&) {
    throw example::UsageError("no memory to store " + std::to_string(num_pages) + " pages of " +
                              std::to_string(page_ids) + " token ids (see --pages)");
  }
  if (result == nullptr) throw std::logic_error("this page size is not compiled");
  return result;
}

}  // namespace trace_replay
