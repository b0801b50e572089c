// Memory for a table that is read at random: from 2 MiB on in pages of that size, where the system
// has them. To find small pages costs the solver up to a tenth of its time.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tarot::ai {

// An allocator as the containers want one.
template <typename T>
class HugePages {
 public:
  using value_type = T;

  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), Alignment(count));
    // A wish: where it is not granted, the memory is as good, and slower.
    if (Large(count)) madvise(memory, count * sizeof(T), MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, Alignment(count)); }
  friend bool operator==(const HugePages&, const HugePages&) = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr bool Large(std::size_t count) { return count * sizeof(T) >= kPage; }
  static constexpr std::align_val_t Alignment(std::size_t count) {
    return std::align_val_t{Large(count) ? kPage : alignof(T)};
  }
};

}  // namespace tarot::ai
