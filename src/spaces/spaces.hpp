// The spaces of this rank that are no arena, and those of the other ranks of its node as this
// process reaches them.
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

// A space, or a part of one, as copies of this process name it.
struct DeviceView {
  Kind* kind = nullptr;
  MutableBytes memory;
};

// The views that a process has of spaces of its node. Any thread.
class SpaceViews {
 public:
  // Both must outlive it.
  SpaceViews(const NodeMemory& memory, Kinds& kinds) : memory_(memory), kinds_(kinds) {}
  SpaceViews(const SpaceViews&) = delete;
  SpaceViews& operator=(const SpaceViews&) = delete;
  ~SpaceViews();

  // `size` bytes at the place, of a rank of this node. An error: there is no such space, it is
  // shorter, or this process cannot map it.
  Result<DeviceView> find(Remote place, std::size_t size);
  // Unmaps a space that no operation of this process uses any more.
  void forget(Space space);
  // Unmaps all that their ranks have removed, if a rank of the node has removed some. Cheap if not.
  void sweep();

 private:
  struct Known {
    std::uint32_t version = 0;
    std::int32_t process = 0;
    DeviceView view = {};
    SpaceViewers* viewers = nullptr;  // not null: it is mapped by this process, which counts there
  };

  Result<void> follow(Known& known, Space space);
  Result<Known> map(Kind& kind, const SpaceInfo& info, Space space) const;
  void sweep_if_asked();
  static void unmap(Known& known);

  const NodeMemory& memory_;
  Kinds& kinds_;
  std::mutex mutex_;                                                // guards what follows
  std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_;  // by rank and number
  std::uint32_t swept_ = 0;                                         // what was asked for before
};

// The spaces that this rank gives to its peers. Any thread.
class OwnSpaces {
 public:
  OwnSpaces(const NodeMemory& memory, Rank me) : memory_(memory), me_(me) {}
  OwnSpaces(const OwnSpaces&) = delete;
  OwnSpaces& operator=(const OwnSpaces&) = delete;
  ~OwnSpaces();

  // Memory of the device that this process has allocated. It stays the caller's.
  Result<SpaceId> add(Kind& kind, MutableBytes memory);
  // Whether the agent of this node, if there is one, has looked at the space, and whether it does
  // not reach it. Other nodes may use the space afterwards.
  bool has_reached_agent(SpaceId id) const;
  bool is_refused_by_agent(SpaceId id) const;
  // No operation of a peer may be under way. Peers unmap it when they wait, or use a device.
  void remove(SpaceId id);
  // The same, of memory that is this rank's: the kind releases it when no peer has it mapped.
  void remove(SpaceId id, Kind& kind, std::byte* memory);
  // Whether a process has mapped a space that was removed. Until then its memory must stay.
  bool is_mapped(SpaceId id) const { return viewers(id).count.load() > 0; }
  // Releases what may be released by now. False: some memory is still mapped.
  bool reap();

 private:
  // Removed, and mapped by a peer.
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
  std::mutex mutex_;                         // guards what follows
  std::vector<const Kind*> kinds_{nullptr};  // by number; null: there is no such space
  std::vector<Left> left_;
};

}  // namespace gondwana
