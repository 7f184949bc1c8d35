// A cheap poll. A thread records the words that change when something arrives, with their values,
// and polls thoroughly. If that poll finds nothing, the next polls only compare the words.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gondwana {

class QuietLook {
 public:
  // Call begin() and watch() before the thorough poll, so that no change is missed.
  void begin() { count_ = looks_ = 0; }
  void watch(const std::atomic<std::uint32_t>& word) {
    if (count_ == words_.size()) return forget();
    if (count_ < words_.size()) words_[count_++] = {&word, word.load(std::memory_order_acquire)};
  }
  // Call it after a thorough poll that found nothing: `looks` polls may now be cheap.
  void allow(std::uint32_t looks) { looks_ = count_ <= words_.size() ? looks : 0; }
  // More words are needed than there is room for: every poll must be thorough.
  void forget() { count_ = words_.size() + 1; }

  // True: a thorough poll would find nothing.
  bool is_quiet() {
    if (looks_ == 0) return false;
    --looks_;
    for (std::size_t i = 0; i < count_; ++i)
      if (words_[i].place->load(std::memory_order_relaxed) != words_[i].value) {
        looks_ = 0;
        return false;
      }
    return true;
  }

 private:
  struct Word {
    const std::atomic<std::uint32_t>* place;
    std::uint32_t value;
  };
  std::uint32_t looks_ = 0;
  std::size_t count_ = 0;
  std::array<Word, 65> words_{};
};

}  // namespace gondwana
