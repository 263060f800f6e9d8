// LargeVector: a std::vector for large arrays that are read here and there.
#ifndef KOKKOSKV_IMPL_LARGEVECTOR_HPP
#define KOKKOSKV_IMPL_LARGEVECTOR_HPP

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace KokkosKV::Impl {

/// Puts large arrays on huge pages, where the system has them: on pages of 4 KiB nearly every
/// access to an array of hundreds of megabytes would have to wait for its address first.
template <class T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(HugePageAllocator<U> const&) {}

  T* allocate(std::size_t count) {
    if (count > ~std::size_t(0) / sizeof(T)) throw std::bad_array_new_length();
    auto const bytes = count * sizeof(T);
    auto* const data = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
    // A hint: whether it is taken changes nothing but time.
    if (bytes >= huge_page) madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t count) {
    ::operator delete(data, alignment(count * sizeof(T)));
  }

  friend bool operator==(HugePageAllocator const&, HugePageAllocator const&) { return true; }

 private:
  static constexpr std::size_t huge_page = std::size_t(1) << 21;

  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t(bytes >= huge_page ? huge_page : alignof(T));
  }
};

template <class T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace KokkosKV::Impl

#endif
