// Ranks that ended well without having called a door. That is no fault as long as no other rank
// calls one; a rank that does would wait for them for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "core/machine.hpp"

namespace gondwana::launch {

// By their numbers in the job.
class Absentees {
 public:
  void add(std::uint32_t rank) {
    ranks_.insert(rank);
    look_at_ns_ = 0;
  }
  // Another program runs as that rank.
  void remove(std::uint32_t rank) { ranks_.erase(rank); }

  const std::set<std::uint32_t>& ranks() const { return ranks_; }
  std::uint32_t first() const { return *ranks_.begin(); }

  // Whether it is time to look at the states of the other ranks, which tell nobody when they
  // change.
  bool is_due() {
    const std::uint64_t now = monotonic_ns();
    if (ranks_.empty() || now < look_at_ns_) return false;
    look_at_ns_ = now + look_every_ns;
    return true;
  }
  std::optional<std::uint64_t> next_ns() const {
    return ranks_.empty() ? std::nullopt : std::optional(look_at_ns_);
  }

 private:
  static constexpr std::uint64_t look_every_ns = 100'000'000;

  std::set<std::uint32_t> ranks_;
  std::uint64_t look_at_ns_ = 0;
};

}  // namespace gondwana::launch
