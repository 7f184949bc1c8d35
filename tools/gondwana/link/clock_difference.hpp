// How far another host's clock is ahead of this host's clock.
#pragma once

#include <cstdint>
#include <optional>

namespace gondwana::link {

class ClockDifference {
 public:
  // Adds an exchange: the times of question and answer by the local clock, and the time on the
  // other host in between. The fastest exchange has the smallest error, so its result is used.
  void add(std::int64_t asked_ns, std::int64_t there_ns, std::int64_t answered_ns) {
    const std::int64_t error = (answered_ns - asked_ns) / 2;
    if (error_ns_ && *error_ns_ <= error) return;
    error_ns_ = error;
    ahead_ns_ = there_ns - (asked_ns + error);
  }

  std::int64_t ahead_ns() const { return ahead_ns_; }
  // The error of ahead_ns(), at most.
  std::int64_t error_ns() const { return error_ns_.value_or(0); }

 private:
  std::int64_t ahead_ns_ = 0;
  std::optional<std::int64_t> error_ns_;  // empty: no exchange yet
};

}  // namespace gondwana::link
