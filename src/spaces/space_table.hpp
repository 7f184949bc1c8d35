// The spaces of a rank that are no arena: memory of a device, which peers reach through its kind.
// The table lies in the system area of the rank's arena, where peers and the node agent read it.
// Other nodes know a space by its number, and their requests go to the agent.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/structure_list.hpp"
#include "memory/layout.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana {

// One space. Only the rank writes it, but for what the agent has seen. All zero: never used.
struct SpaceRow {
  std::atomic<std::uint32_t> version;  // odd while the rest is written
  std::atomic<std::uint16_t> kind;     // a KindId
  std::atomic<std::uint16_t> device;   // its number
  // Written by the agent of the node: the version that it has looked at, plus 1 if it does not
  // reach the memory.
  std::atomic<std::uint32_t> seen_by_agent;
  std::atomic<std::int32_t> process;   // of the rank
  std::atomic<std::uint64_t> size;     // bytes; 0: there is no such space
  std::atomic<std::uint64_t> address;  // in that process
  std::array<std::atomic<std::uint64_t>, std::tuple_size_v<SharedHandle>> handle;
};

// Of one space: how many processes of the node have mapped it, or an earlier one of the same
// number. They change it, and the rank frees no memory before it is 0.
struct SpaceViewers {
  std::atomic<std::uint32_t> count;
};

// What a row says, at one moment.
struct SpaceInfo {
  std::uint32_t version;
  DeviceId device;
  std::int32_t process;
  std::size_t size;
  std::uintptr_t address;
  SharedHandle handle;
};

// Nothing if there is no such space, or if it is just being written.
std::optional<SpaceInfo> read_space(const SpaceRow& row);
// Called by the rank. A `size` of 0 removes the space.
void write_space(SpaceRow& row, const SpaceInfo& info);

namespace system_area {

// By SpaceId; that of the arena is not used. Sparse.
inline constexpr Area spaces{1792 * 1024, sizeof(SpaceRow), most_spaces};
// Likewise.
inline constexpr Area space_viewers{64 * 1024, sizeof(SpaceViewers), most_spaces};

}  // namespace system_area

using SpaceStructures = StructureList<SpaceRow, SpaceViewers>;
template <ListedIn<SpaceStructures> T>
inline constexpr bool is_shared<T> = true;

// Of the arena that begins at `window`.
inline SpaceRow& space_row(std::byte* window, SpaceId id) {
  return shared_at<SpaceRow>(window, system_area::spaces.at(index(id)));
}

inline SpaceViewers& space_viewers(std::byte* window, SpaceId id) {
  return shared_at<SpaceViewers>(window, system_area::space_viewers.at(index(id)));
}

}  // namespace gondwana
