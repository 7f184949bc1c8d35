// The objects that the handles of gasnetex.h point to. The door makes and frees them.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "engine/collectives/staged/scratch_space.hpp"
#include "engine/collectives/staged/staged_collectives.hpp"
#include "engine/spaces/program_memory.hpp"
#include "front/gasnet/handler_table.hpp"
#include "front/gasnet/segment_directory.hpp"
#include "gasnet/messages.h"
#include "gasnet/team.h"
#include "gasnet_fwd.h"
#include "gasnet_mk.h"
#include "spaces/kinds/kind.hpp"

namespace gondwana::gasnet {

class Door;
class SplitBarrier;

// A client's pointer, stored in an object.
struct ClientData {
  const void* value = nullptr;
};

using gondwana::SegmentDirectory;
inline constexpr std::uint32_t max_endpoints = SegmentDirectory::max_endpoints;

}  // namespace gondwana::gasnet

struct gondwana_gex_client {
  gondwana::gasnet::Door* door;
  std::string name;
  gex_Flags_t flags;
  gondwana::gasnet::ClientData data;
};

struct gondwana_gex_memory_kind {
  gex_Client_t client;
  gex_Flags_t flags;
  gex_MK_Class_t memory_class = GEX_MK_CLASS_HOST;
  gondwana::Kind* device = nullptr;         // null: host memory
  std::atomic<std::uint32_t> segments = 0;  // segments of this kind
  gondwana::gasnet::ClientData data = {};
};

namespace gondwana::gasnet {

// Arena pages that segments share. The last of these segments releases them. Both ranges are the
// same unless the client provided the memory.
using SegmentPages = ProgramPages;

}  // namespace gondwana::gasnet

// `offset` is in the arena of this rank, for peers, and `unreachable` if the memory is outside it.
// Device memory has its own space, in which the offset is less than a cache line.
struct gondwana_gex_segment {
  static constexpr std::size_t unreachable = ~std::size_t{0};

  gex_Client_t client;
  std::byte* address;
  std::size_t size;
  std::size_t offset;
  // Null: symmetric memory. Segments that share pages share this object.
  std::shared_ptr<const gondwana::ProgramPages> pages;
  gex_Flags_t flags = 0;
  gex_MK_t kind = GEX_MK_HOST;
  std::optional<gondwana::SpaceId> space = {};  // set for device memory
  bool is_own = false;                          // the library allocated the device memory
  gondwana::gasnet::ClientData data;
};

namespace gondwana::gasnet {

inline bool is_on_device(gex_Segment_t segment) {
  return segment != GEX_SEGMENT_INVALID && segment->space.has_value();
}

}  // namespace gondwana::gasnet

struct gondwana_gex_endpoint {
  gex_Client_t client;
  gex_EP_Index_t index;
  gex_EP_Capabilities_t capabilities;
  gex_Flags_t flags = 0;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gondwana::gasnet::ClientData data;
  gondwana::gasnet::HandlerTable handlers;
};

namespace gondwana::gasnet {

// Inline code of gasnetex.h reads the fields of the base class.
struct Team : gondwana_gex_team {
  Door* door;
  gex_EP_t endpoint;  // of this process
  gex_Flags_t flags = 0;
  ClientData data;
  gex_Memvec_t scratch{nullptr, 0};                // from the client; returned when the team ends
  std::vector<std::uint32_t> processes;            // job rank of each member
  std::vector<gex_EP_Index_t> indices;             // endpoint index of each member
  std::vector<gondwana_gex_member> reach;          // segments of the members in this process
  std::vector<gondwana_gex_member> empty;          // size 0: inline code calls the library instead
  std::unique_ptr<StagedCollectives> collectives;  // null: a pair
  StagedPlace place;                               // scratch of this member; released at the end
  std::shared_ptr<SplitBarrier> split_barrier = nullptr;  // made at first use

  explicit Team(Door& of) : gondwana_gex_team{}, door(&of) {}

  static Team& of(gex_TM_t handle) { return *static_cast<Team*>(handle); }
  bool is_pair() const { return collectives == nullptr; }
  Rank process(std::uint32_t member) const { return Rank(processes[member]); }
  void show_members(bool inline_path);
  // Whether loads and stores reach the memory of a member. True if the team has no member with this
  // number.
  bool reaches(std::uint32_t member) const;
  // Collective. Earlier writes of all members are visible afterwards.
  void meet(CallName call);
  // Collective. Returns the contribution of each member.
  template <typename T>
  std::vector<T> exchange(CallName call, const T& mine);
  void exchange(CallName call, Bytes mine, MutableBytes all);

 private:
  // Returns when the step is complete and this rank has sent its messages.
  template <staged::Step S>
  void wait_for(CallName call, S& step);
};

}  // namespace gondwana::gasnet
