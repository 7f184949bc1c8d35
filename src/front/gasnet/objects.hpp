// What the handles of gasnetex.h point to. Made and freed by the door; the client owns only
// handles.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "engine/collectives/staged/scratch_space.hpp"
#include "engine/collectives/staged/staged_collectives.hpp"
#include "gasnet/messages.h"
#include "gasnet/team.h"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

class Door;
class SplitBarrier;

// A pointer that the client keeps with an object.
struct ClientData {
  const void* value = nullptr;
};

using gondwana::SegmentDirectory;
inline constexpr std::uint32_t most_endpoints = SegmentDirectory::most_endpoints;
inline constexpr std::uint32_t most_arguments = 16;
inline constexpr std::uint32_t any_arguments = ~std::uint32_t{0};  // gex_nargs of GASNet-1 handlers

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
  gondwana::gasnet::ClientData data;
};

namespace gondwana::gasnet {

// Pages of the arena that belong to segments, and where the client has them. They go back with the
// last of these segments.
struct SegmentPages {
  std::byte* address;  // that of the arena, unless the client brought the memory
  MutableBytes arena;
  std::optional<std::size_t> file = {};  // of SegmentFiles: the client's pages stay its own
};

}  // namespace gondwana::gasnet

// `offset`: where it lies in the arena of this rank, for peers; `unreachable` if it does not.
struct gondwana_gex_segment {
  static constexpr std::size_t unreachable = ~std::size_t{0};

  gex_Client_t client;
  std::byte* address;
  std::size_t size;
  std::size_t offset;
  // Null: symmetric memory. Segments that share pages have the same.
  std::shared_ptr<const gondwana::gasnet::SegmentPages> pages;
  gex_Flags_t flags = 0;
  gex_MK_t kind = GEX_MK_HOST;
  gondwana::gasnet::ClientData data;
};

struct gondwana_gex_endpoint {
  gex_Client_t client;
  gex_EP_Index_t index;
  gex_EP_Capabilities_t capabilities;
  gex_Flags_t flags = 0;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gondwana::gasnet::ClientData data;
  // By index. A handler is there where its function is not null.
  std::array<gex_AM_Entry_t, 256> handlers{};
};

namespace gondwana::gasnet {

// The first fields are what inline code of gasnetex.h sees.
struct Team : gondwana_gex_team {
  Door* door;
  gex_EP_t endpoint;  // of this process
  bool is_pair = false;
  gex_Flags_t flags = 0;
  ClientData data;
  gex_Memvec_t scratch{nullptr, 0};        // the client's, to be given back
  std::vector<std::uint32_t> processes;    // job rank of each member
  std::vector<gex_EP_Index_t> indices;     // and the index of its endpoint there
  std::vector<gondwana_gex_member> reach;  // where the library looks
  std::vector<gondwana_gex_member> empty;  // of no size: what inline code sees if it is to call us
  std::unique_ptr<StagedCollectives> collectives;  // null: a pair
  StagedPlace place;                               // the scratch of this member; to be given back
  std::shared_ptr<SplitBarrier> split_barrier = nullptr;  // made when it is first asked for

  explicit Team(Door& of) : gondwana_gex_team{}, door(&of) {}

  static Team& of(gex_TM_t handle) { return *static_cast<Team*>(handle); }
  Rank process(std::uint32_t member) const { return Rank(processes[member]); }
  // What inline code sees from now on.
  void show_members(bool inline_path);
  // Whether loads and stores reach a member; also where there is no such one.
  bool reaches(std::uint32_t member) const;
  // Every member calls it. What members wrote before is visible after it.
  void meet(CallName call);
  // What each member shows. Every member calls it.
  template <typename T>
  std::vector<T> exchange(CallName call, const T& mine);
  void exchange(CallName call, Bytes mine, MutableBytes all);

 private:
  // Until the step of a collective is complete, and what this rank told others is on its way.
  template <staged::Step S>
  void wait_for(CallName call, S& step);
};

}  // namespace gondwana::gasnet
