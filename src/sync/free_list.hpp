// A stack of numbered elements that processes share without a lock. A process that dies in the
// middle of a call loses at most the element of that call; the others continue.
//
// Each element has a word, which lies outside the element. While the element is on the stack, the
// low bits of its word are the number of the next element; the other bits belong to the caller.
// Each change of the top has a new tag. So a process that read the top long ago cannot replace it,
// even if the same element is on top again.
#pragma once

#include <concepts>
#include <cstdint>

#include "sync/atomics.hpp"

namespace gondwana {

// All zero is the empty stack. Elements are numbered from 1.
template <AtomicsPolicy Atomics, unsigned IndexBits = 32>
class FreeList {
 public:
  static constexpr std::uint32_t layout_version = 1;
  static constexpr std::uint64_t index_mask = (std::uint64_t{1} << IndexBits) - 1;

  // `word_of(element)` is the word of an element. `note`: the caller's bits of the word.
  template <typename WordOf>
  void push(std::uint64_t element, std::uint64_t note, const WordOf& word_of) {
    std::uint64_t top = top_.load(std::memory_order_relaxed);
    do word_of(element).store(note | (top & index_mask), std::memory_order_relaxed);
    while (!top_.compare_exchange_strong(top, after(top) | element,
                                         std::memory_order_release,  // pairs with pop()
                                         std::memory_order_relaxed));
  }

  // 0: the stack is empty. The caller sees what the process that pushed the element has written.
  template <typename WordOf>
  std::uint64_t pop(const WordOf& word_of) {
    // Pairs with push(), for the word of the element.
    std::uint64_t top = top_.load(std::memory_order_acquire);
    while ((top & index_mask) != 0) {
      // Another process may have popped the element since. Then the next step fails.
      const std::uint64_t next =
          word_of(top & index_mask).load(std::memory_order_relaxed) & index_mask;
      const std::uint64_t element = top & index_mask;
      if (top_.compare_exchange_strong(top, after(top) | next, std::memory_order_acquire,
                                       std::memory_order_acquire))
        return element;
    }
    return 0;
  }

 private:
  // The next tag, and no element.
  static constexpr std::uint64_t after(std::uint64_t top) {
    return (top & ~index_mask) + index_mask + 1;
  }

  typename Atomics::Counter top_;
};

}  // namespace gondwana
