// Which bytes of a receive buffer have come. A provider lays messages into it one behind the other
// and gives it back once there is no room for a longest one; but it may report large messages later
// than that, and then the buffer must not be used again yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

namespace gondwana::ofi {

class Filling {
 public:
  // `least`: room with which a buffer is not given back yet.
  Filling(std::size_t size, std::size_t least) : size_(size), least_(least) {}

  void add(std::size_t at, std::size_t size) {
    if (!is_next(at)) {
      beyond_.emplace(at, at + size);
      return;
    }
    whole_to_ = std::max(whole_to_, at + size);
    for (auto next = beyond_.begin(); next != beyond_.end() && is_next(next->first);
         next = beyond_.erase(next))
      whole_to_ = std::max(whole_to_, next->second);
  }
  void give_back() { given_back_ = true; }
  // Nothing is under way into it.
  bool is_done() const { return given_back_ && beyond_.empty() && size_ - whole_to_ < least_; }

 private:
  // Gaps that a provider may leave. No message is late that fits into one.
  static constexpr std::size_t alignment = 64;

  bool is_next(std::size_t at) const { return at < whole_to_ + alignment; }

  std::size_t size_;
  std::size_t least_;
  std::size_t whole_to_ = 0;                   // all before it has come
  std::map<std::size_t, std::size_t> beyond_;  // what came behind a gap: where it begins and ends
  bool given_back_ = false;
};

}  // namespace gondwana::ofi
