// The spaces of this rank other than the arena, and this process's views of those of other ranks of
// its node.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "memory/node_memory.hpp"
#include "spaces/kinds/kinds.hpp"
#include "spaces/space_table.hpp"

namespace gondwana {

// A space, or a part of one, as copies of this process address it.
struct DeviceView {
  Kind* kind = nullptr;
  MutableBytes memory;
};

// The views that a process has of spaces of its node. Thread-safe.
class SpaceViews {
 public:
  // Both arguments must outlive the object.
  SpaceViews(const NodeMemory& memory, Kinds& kinds) : memory_(memory), kinds_(kinds) {}
  SpaceViews(const SpaceViews&) = delete;
  SpaceViews& operator=(const SpaceViews&) = delete;
  ~SpaceViews();

  // `size` bytes at a location of a rank of this node. Fails if the space does not exist, is
  // shorter, or cannot be mapped by this process.
  Result<DeviceView> find(Remote place, std::size_t size);
  // Unmaps a space, which no operation of this process may use any more.
  void forget(Space space);
  // Unmaps all spaces that ranks of the node have removed. Cheap if there are none.
  void sweep();

 private:
  struct Known {
    std::uint32_t version = 0;
    std::int32_t process = 0;
    DeviceView view = {};
    SpaceViewers* viewers = nullptr;  // not null: mapped by this process, and counted there
  };

  Result<void> follow(Known& known, Space space);
  Result<Known> map(Kind& kind, const SpaceInfo& info, Space space) const;
  void sweep_if_asked();
  static void unmap(Known& known);

  const NodeMemory& memory_;
  Kinds& kinds_;
  std::mutex mutex_;                                                // guards the members below
  std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_;  // by rank and number
  std::uint32_t swept_ = 0;  // number of changes already handled
};

// The spaces that this rank offers its peers. Thread-safe.
class OwnSpaces {
 public:
  OwnSpaces(const NodeMemory& memory, Rank me) : memory_(memory), me_(me) {}
  OwnSpaces(const OwnSpaces&) = delete;
  OwnSpaces& operator=(const OwnSpaces&) = delete;
  ~OwnSpaces();

  // `memory` must be an allocation of this process on the device. The caller keeps it.
  Result<SpaceId> add(Kind& kind, MutableBytes memory);
  // Whether the agent of this node, if any, has seen the space, and whether it cannot reach it.
  // Other nodes may use the space afterwards.
  bool has_reached_agent(SpaceId id) const;
  bool is_refused_by_agent(SpaceId id) const;
  // No operation of a peer may be in flight. A peer unmaps the space when it waits or uses a
  // device.
  void remove(SpaceId id);
  // Like remove(), for memory of this rank, which the kind releases when no peer maps it any more.
  void remove(SpaceId id, Kind& kind, std::byte* memory);
  // Whether a process still maps a removed space. Until then its memory must stay.
  bool is_mapped(SpaceId id) const { return viewers(id).count.load() > 0; }
  // Releases memory that no peer maps any more. False: some is still mapped.
  bool reap();

 private:
  // Removed, but still mapped by a peer.
  struct Left {
    SpaceId id;
    Kind* kind;
    std::byte* memory;
  };

  SpaceId find_free() const;
  void clear(SpaceId id);
  bool release_unmapped();
  void tell_agent() const;
  SpaceRow& row(SpaceId id) const { return space_row(memory_.window(me_), id); }
  SpaceViewers& viewers(SpaceId id) const { return space_viewers(memory_.window(me_), id); }

  const NodeMemory& memory_;
  Rank me_;
  std::mutex mutex_;                         // guards the members below
  std::vector<const Kind*> kinds_{nullptr};  // by number; null: no space
  std::vector<Left> left_;
};

}  // namespace gondwana
