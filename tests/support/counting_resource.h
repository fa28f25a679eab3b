#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>

namespace attest::test {

// Counts the bytes asked of it; the memory itself comes from new and delete.
class CountingResource : public std::pmr::memory_resource {
 public:
  std::size_t live() const { return live_; }
  std::size_t peak() const { return peak_; }
  std::size_t allocations() const { return allocations_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    live_ += bytes;
    peak_ = std::max(peak_, live_);
    ++allocations_;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    live_ -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::size_t live_ = 0;
  std::size_t peak_ = 0;
  std::size_t allocations_ = 0;
};

}  // namespace attest::test
