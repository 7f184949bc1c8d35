// Tracks which bytes of a receive buffer have arrived. A provider places messages one after the
// other. It returns the buffer once the longest message does not fit any more. It may report large
// messages later than that, and the buffer must not be reused before. A message that does not fit
// fails and ends the buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

namespace gondwana::ofi {

class Filling {
 public:
  // The provider keeps the buffer as long as at least `least` bytes of space remain.
  Filling(std::size_t size, std::size_t least) : size_(size), min_(least) {}

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
  // Notes a failed message. If the provider could not continue after it, the buffer ends there.
  void fail(std::size_t at, std::size_t size) {
    const std::size_t room = size_ - std::min(at, size_);
    if (size <= room && room - size >= min_) return add(at, size);
    size_ = std::min(at, size_);
    is_cut_ = true;
    give_back();
  }
  // Notes a failed message at an unknown position. The provider may still write there at any time.
  void fail() { is_spoiled_ = true; }
  void give_back() { given_back_ = true; }
  bool is_given_back() const { return given_back_; }
  // No message is in flight into the buffer.
  bool is_done() const {
    const bool is_full = is_cut_ ? is_next(size_) : size_ - std::min(whole_to_, size_) < min_;
    return given_back_ && !is_spoiled_ && beyond_.empty() && is_full;
  }

 private:
  // A provider may leave gaps of this size. A late message never fits into one.
  static constexpr std::size_t alignment = 64;

  bool is_next(std::size_t at) const { return at < whole_to_ + alignment; }

  std::size_t size_;
  std::size_t min_;
  std::size_t whole_to_ = 0;                   // all bytes below this offset have arrived
  std::map<std::size_t, std::size_t> beyond_;  // after a gap: begin and end of arrived ranges
  bool given_back_ = false;
  bool is_cut_ = false;  // by a message that did not fit; nothing is after size_
  bool is_spoiled_ = false;
};

}  // namespace gondwana::ofi
