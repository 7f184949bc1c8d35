// Landings: memory in the arena of a rank with devices, into which ranks of other nodes write what
// is for a device, or from which they read what comes from one. The network writes and reads it in
// place; the agent there copies between it and the device. A rank takes a landing at its first
// large transfer and keeps it. Where none is left, the bytes travel as messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/structure_list.hpp"
#include "engine/rma/lane.hpp"
#include "engine/rma/remote_access.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// Where the landings of a rank are, and how many are taken.
struct BouncePlace {
  std::uint64_t offset;  // 0: there are none
  std::uint64_t taken;   // or more
};

namespace system_area {

inline constexpr Area bounces{128 * 1024, sizeof(BouncePlace)};

}  // namespace system_area

using BounceStructures = StructureList<BouncePlace>;
template <ListedIn<BounceStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana

namespace gondwana::bounce {

inline constexpr std::size_t chunk_size = std::size_t{256} << 10;
inline constexpr std::uint32_t slots_of_landing = 4;
inline constexpr std::size_t landing_size = slots_of_landing * chunk_size;
inline constexpr std::size_t most_landings = 32;

// The landing of this rank at another one. Any thread.
class Landing {
 public:
  explicit Landing(std::uint64_t offset) : offset_(offset) {}

  // Nothing: all are in use.
  std::optional<std::uint32_t> take_slot() {
    std::uint32_t free = free_.load(std::memory_order_relaxed);
    while (free != 0) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(free));
      if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire))
        return slot;  // pairs with give_back()
    }
    return std::nullopt;
  }
  void give_back(std::uint32_t slot) {
    free_.fetch_or(1U << slot, std::memory_order_release);  // pairs with take_slot()
  }
  // In the arena of the other rank.
  std::uint64_t offset_of(std::uint32_t slot) const { return offset_ + slot * chunk_size; }

 private:
  std::uint64_t offset_;
  std::atomic<std::uint32_t> free_{(1U << slots_of_landing) - 1};
};

// Any thread.
class Landings {
 public:
  explicit Landings(RemoteAccess& remote) : remote_(remote) {}

  // Makes landings for peers of other nodes, and says where they are. They live as long as
  // `segments`.
  static void offer(const NodeMemory& memory, Rank me, SegmentSpace& segments);
  // At a rank of another node. Null: it has none left, or another thread is taking one. The first
  // call for a rank waits.
  Landing* of(Lane& lane, Rank rank);

 private:
  std::unique_ptr<Landing> take(Lane& lane, Rank rank);

  RemoteAccess& remote_;
  std::mutex mutex_;  // guards what follows
  std::map<std::uint32_t, std::unique_ptr<Landing>>
      known_;  // by rank; null: none is left or known yet
};

}  // namespace gondwana::bounce
