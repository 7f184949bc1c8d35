// Which bytes of a receive buffer have come. A provider lays messages into it one behind the other
// and gives it back once there is no room for a longest one; but it may report large messages later
// than that, and then the buffer must not be used again yet. A message that does not fit fails, and
// ends the buffer.
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
  // A message that failed. Where the provider could not go on behind it, the buffer ends there.
  void fail(std::size_t at, std::size_t size) {
    const std::size_t room = size_ - std::min(at, size_);
    if (size <= room && room - size >= least_) return add(at, size);
    size_ = std::min(at, size_);
    is_cut_ = true;
    give_back();
  }
  // One that failed somewhere: its place may be written for ever.
  void fail() { is_spoiled_ = true; }
  void give_back() { given_back_ = true; }
  bool is_given_back() const { return given_back_; }
  // Nothing is under way into it.
  bool is_done() const {
    const bool is_full = is_cut_ ? is_next(size_) : size_ - std::min(whole_to_, size_) < least_;
    return given_back_ && !is_spoiled_ && beyond_.empty() && is_full;
  }

 private:
  // Gaps that a provider may leave. No message is late that fits into one.
  static constexpr std::size_t alignment = 64;

  bool is_next(std::size_t at) const { return at < whole_to_ + alignment; }

  std::size_t size_;
  std::size_t least_;
  std::size_t whole_to_ = 0;                   // all before it has come
  std::map<std::size_t, std::size_t> beyond_;  // what came behind a gap: where it begins and ends
  bool given_back_ = false;
  bool is_cut_ = false;  // by a message that did not fit: nothing lies behind size_
  bool is_spoiled_ = false;
};

}  // namespace gondwana::ofi
