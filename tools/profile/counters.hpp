// The counters of one thread: a view of words stored elsewhere, so that tables can be added up and
// read by other ranks word by word.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "call.hpp"
#include "call_names.hpp"

namespace gondwana::profile {

inline constexpr std::size_t words_per_call = 3;  // calls, ticks, bytes
inline constexpr std::size_t traffic_kinds = 4;

consteval std::size_t number_of(std::string_view name) {
  for (std::size_t number = 0; number < call_names.size(); ++number)
    if (call_names[number] == name) return number;
  throw "no such call";
}

// The number of words in a table; `peers` is 0 without a matrix.
constexpr std::size_t table_words(std::size_t peers) {
  return call_names.size() * words_per_call + traffic_kinds * peers;
}

// Only the owning thread writes; others may read meanwhile.
inline void increase(std::uint64_t& word, std::uint64_t amount) {
  const std::atomic_ref<std::uint64_t> counter(word);
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

class Counters {
 public:
  constexpr Counters() = default;
  Counters(std::uint64_t* words, std::size_t peers) : words_(words), peers_(peers) {}

  std::uint64_t* words() const { return words_; }
  // Null if nothing is counted.
  std::uint64_t* cell(std::size_t number) const {
    return words_ != nullptr ? words_ + number * words_per_call : nullptr;
  }
  std::size_t peers() const { return peers_; }

  static void add_call(std::uint64_t* cell, std::uint64_t ticks, std::uint64_t bytes) {
    increase(cell[0], 1);
    increase(cell[1], ticks);
    increase(cell[2], bytes);
  }

  void add_traffic(Traffic kind, std::size_t peer, std::uint64_t bytes) const {
    const std::size_t row = static_cast<std::size_t>(kind) * peers_;
    increase(words_[table_words(0) + row + peer], bytes);
  }

 private:
  std::uint64_t* words_ = nullptr;
  std::size_t peers_ = 0;
};

}  // namespace gondwana::profile
