// The virtual clock: what is to happen, and when. Of what happens at the same time a seed chooses
// the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/hash.hpp"
#include "simulation/random.hpp"

namespace gondwana::simulation {

using Time = std::uint64_t;  // nanoseconds
inline constexpr Time us = 1'000;
inline constexpr Time ms = 1000 * us;
inline constexpr Time second = 1000 * ms;

class Schedule {
 public:
  using What = std::function<void()>;

  explicit Schedule(std::uint64_t seed) : random_(seed, 1) {}

  static constexpr Time beginning = 1000 * second;  // a machine has run for a while
  Time now() const { return now_; }
  void at(Time time, What what);
  void after(Time time, What what) { at(now_ + time, std::move(what)); }
  // False: nothing is left to happen.
  bool run_next();
  // A hash of all that has happened, in order.
  std::uint64_t trace() const { return trace_.value(); }

 private:
  struct Entry {
    Time time;
    std::uint64_t order;
    std::uint64_t number;  // two may draw the same order
    What what;
    bool operator<(const Entry& other) const;
  };

  Random random_;
  Time now_ = beginning;
  std::uint64_t count_ = 0;
  std::vector<Entry> entries_;  // a heap
  Hash trace_;
};

}  // namespace gondwana::simulation
