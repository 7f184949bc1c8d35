// Landings: memory in the arena of a rank with devices. Ranks of other nodes write data for a
// device to a landing, and read data of a device from it. The network accesses it in place, and the
// agent there copies between it and the device. A rank takes a landing at its first large transfer
// and keeps it. If none is left, the data is sent as messages.
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

// The location of a rank's landings, and the number of those taken.
struct BouncePlace {
  std::uint64_t offset;  // 0: no landings
  std::uint64_t taken;   // may exceed the number of landings
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
inline constexpr std::size_t max_landings = 32;

// This rank's landing at another rank. Thread-safe.
class Landing {
 public:
  explicit Landing(std::uint64_t offset) : offset_(offset) {}

  // Nothing: all slots are in use.
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
  // An offset in the arena of the other rank.
  std::uint64_t offset_of(std::uint32_t slot) const { return offset_ + slot * chunk_size; }

 private:
  std::uint64_t offset_;
  std::atomic<std::uint32_t> free_{(1U << slots_of_landing) - 1};
};

// Thread-safe.
class Landings {
 public:
  explicit Landings(RemoteAccess& remote) : remote_(remote) {}

  // Allocates landings for peers of other nodes, and publishes their location. They live as long as
  // `segments`.
  static void offer(const NodeMemory& memory, Rank me, SegmentSpace& segments);
  // This rank's landing at a rank of another node. Null: none is left there, or another thread is
  // taking one. The first call for a rank waits.
  Landing* of(Lane& lane, Rank rank);

 private:
  std::unique_ptr<Landing> take(Lane& lane, Rank rank);

  RemoteAccess& remote_;
  std::mutex mutex_;  // guards the members below
  std::map<std::uint32_t, std::unique_ptr<Landing>>
      known_;  // by rank; null: none is left or known yet
};

}  // namespace gondwana::bounce
