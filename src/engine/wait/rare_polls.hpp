// When calls that do not wait poll the network. A program may make such calls in a loop, every few
// nanoseconds, and a network poll is a system call or more. Twice the time that a poll takes must
// pass until the next one, so a loop spends a third of its time on them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace gondwana {

// Any thread may call. Times have any unit.
class RarePolls {
 public:
  bool is_due(std::uint64_t now) const {
    return now - end_.load(std::memory_order_relaxed) >= 2 * cost_.load(std::memory_order_relaxed);
  }
  // After a poll that has found something, the next one is due at once.
  void polled(std::uint64_t begin, std::uint64_t end, bool found) {
    const std::uint64_t cost = cost_.load(std::memory_order_relaxed);
    // It grows slowly, because an interrupt may have lengthened the poll.
    const std::uint64_t most = cost + cost / 8 + 16;
    cost_.store(found ? 0 : std::min(end - begin, most), std::memory_order_relaxed);
    end_.store(end, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> end_{0};   // of the last poll
  std::atomic<std::uint64_t> cost_{0};  // of a poll that finds nothing
};

}  // namespace gondwana
