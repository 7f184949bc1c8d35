// The spaces of a rank other than the arena: device memory, which peers reach through its kind. The
// table is in the system area of the rank's arena, where peers and the node agent read it. Other
// nodes name a space by its number, and send their requests to the agent.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/structure_list.hpp"
#include "memory/layout.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana {

// One space. Only the rank writes it, except seen_by_agent. All zero: never used.
struct SpaceRow {
  std::atomic<std::uint32_t> version;  // odd while the rest is written
  std::atomic<std::uint16_t> kind;     // a KindId
  std::atomic<std::uint16_t> device;   // number of the device
  // Written by the node agent: the version that it has seen, plus 1 if it does not reach the
  // memory.
  std::atomic<std::uint32_t> seen_by_agent;
  std::atomic<std::int32_t> process;   // process of the rank
  std::atomic<std::uint64_t> size;     // bytes; 0: no space
  std::atomic<std::uint64_t> address;  // address in that process
  std::array<std::atomic<std::uint64_t>, std::tuple_size_v<SharedHandle>> handle;
};

// The number of processes of the node that have mapped a space, or an earlier one with the same
// number. They change it, and the rank frees no memory before it is 0.
struct SpaceViewers {
  std::atomic<std::uint32_t> count;
};

// A consistent copy of a row.
struct SpaceInfo {
  std::uint32_t version;
  DeviceId device;
  std::int32_t process;
  std::size_t size;
  std::uintptr_t address;
  SharedHandle handle;
};

// Nothing if the space does not exist, or if the row is being written.
std::optional<SpaceInfo> read_space(const SpaceRow& row);
// Called by the rank. A `size` of 0 removes the space.
void write_space(SpaceRow& row, const SpaceInfo& info);

namespace system_area {

// By SpaceId; the row of the arena is unused. Sparse.
inline constexpr Area spaces{1792 * 1024, sizeof(SpaceRow), max_spaces};
// By SpaceId.
inline constexpr Area space_viewers{64 * 1024, sizeof(SpaceViewers), max_spaces};

}  // namespace system_area

using SpaceStructures = StructureList<SpaceRow, SpaceViewers>;
template <ListedIn<SpaceStructures> T>
inline constexpr bool is_shared<T> = true;

// The rows of the arena that begins at `window`.
inline SpaceRow& space_row(std::byte* window, SpaceId id) {
  return shared_at<SpaceRow>(window, system_area::spaces.at(index(id)));
}

inline SpaceViewers& space_viewers(std::byte* window, SpaceId id) {
  return shared_at<SpaceViewers>(window, system_area::space_viewers.at(index(id)));
}

}  // namespace gondwana
