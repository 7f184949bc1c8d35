#include "simulation/schedule.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gondwana::simulation {

// A heap has its largest entry first.
bool Schedule::Entry::operator<(const Entry& other) const {
  return std::tie(time, order, number) > std::tie(other.time, other.order, other.number);
}

void Schedule::at(Time time, What what) {
  entries_.push_back({std::max(time, now_), random_.next(), ++count_, std::move(what)});
  std::push_heap(entries_.begin(), entries_.end());
}

bool Schedule::run_next() {
  if (entries_.empty()) return false;
  std::pop_heap(entries_.begin(), entries_.end());
  const Entry entry = std::move(entries_.back());
  entries_.pop_back();
  now_ = entry.time;
  trace_.add(entry.time).add(entry.number);
  entry.what();
  return true;
}

}  // namespace gondwana::simulation
