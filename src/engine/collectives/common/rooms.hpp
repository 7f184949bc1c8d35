// Buffers for collectives of node leaders. Large buffers are in the arena, where other nodes fetch
// directly. A few are kept with their pages for the next use.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/symmetric/segment_space.hpp"

namespace gondwana {

class Rooms {
 public:
  explicit Rooms(SegmentSpace& segments) : segments_(segments) {}
  ~Rooms() { clear(); }
  Rooms(const Rooms&) = delete;
  Rooms& operator=(const Rooms&) = delete;

  struct GiveBack {
    Rooms* to;
    std::size_t in_arena;  // bytes; 0: from the heap
    void operator()(std::byte* room) const;
  };
  using Room = std::unique_ptr<std::byte[], GiveBack>;

  // Aligned for elements of any type, not cleared. A buffer is on the heap if it is small or the
  // arena is full.
  Room take(std::size_t size);
  // Releases all kept buffers to the arena.
  void clear();

 private:
  static constexpr std::size_t max_kept = std::size_t{16} << 20;  // bytes

  void give_back(MutableBytes room);

  SegmentSpace& segments_;
  std::mutex mutex_;  // guards the members below
  std::vector<MutableBytes> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace gondwana
