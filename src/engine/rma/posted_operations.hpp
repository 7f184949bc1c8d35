// The operations that a lane has posted over the wire, and copies of their sources.
//
// Operations belong to generations, so that a thread can wait for the operations so far while other
// threads post more. Operations of at most two generations are in flight. The caller has the turn,
// unless a function says otherwise.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/completion.hpp"
#include "core/types.hpp"

namespace gondwana {

class PostedOperations {
 public:
  // The completion of operations that are posted now. Any thread may ask.
  Completion& pending() { return pending_[generation() % 2]; }
  std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }
  // Whether all are complete. Any thread may ask.
  bool is_done() const { return pending_[0].done() && pending_[1].done(); }
  // Whether the operations of the generation and all before are complete. Begins the next
  // generation if that can be done.
  bool is_complete(std::uint64_t generation) {
    if (this->generation() == generation && !begin_generation()) return false;
    return this->generation() > generation + 1 || pending_[generation % 2].done();
  }
  // False: operations of the previous generation are still in flight.
  bool begin_generation() {
    const std::uint64_t next = generation() + 1;
    if (!pending_[next % 2].done()) return false;
    generation_.store(next, std::memory_order_relaxed);
    copied_ = 0;
    return true;
  }
  bool has_lost() const { return pending_[0].has_failed() || pending_[1].has_failed(); }
  // The error of an operation in a complete generation, returned once.
  const Error* take_loss() {
    const Error* const first = pending_[0].take_loss();
    const Error* const second = pending_[1].take_loss();
    return first != nullptr ? first : second;
  }
  // The transport's mark for the operations that the latest fence orders.
  std::uint64_t fence_mark() const { return fence_mark_; }
  void set_fence_mark(std::uint64_t mark) { fence_mark_ = mark; }

  // A copy of `source` that lives until its generation is complete. Empty if the buffer of this
  // generation is full.
  Bytes copy(Bytes source) {
    if (copies_.empty()) copies_.resize(2 * bytes_of_generation);
    if (source.size() > bytes_of_generation - copied_) return {};
    std::byte* copy = copies_.data() + generation() % 2 * bytes_of_generation + copied_;
    std::memcpy(copy, source.data(), source.size());
    copied_ += source.size();
    return {copy, source.size()};
  }
  // Frees the latest copy.
  void drop_copy(Bytes copy) { copied_ -= copy.size(); }

 private:
  static constexpr std::size_t bytes_of_generation = 128 * 1024;

  std::array<Completion, 2> pending_;  // of the even and odd generations
  std::atomic<std::uint64_t> generation_{0};
  std::uint64_t fence_mark_ = 0;
  std::vector<std::byte> copies_;  // never grows: they must not move
  std::size_t copied_ = 0;         // bytes used in this generation
};

}  // namespace gondwana
