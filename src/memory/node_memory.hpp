// All shared memory of a node's ranks, as one process sees it: the arenas in one reserved range at
// a fixed stride, and the control memory. Mapped once per process, for any number of ranks that
// live in it. One accessor for each structure of layout.hpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/mapping.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/layout.hpp"
#include "memory/node_plan.hpp"
#include "memory/node_table.hpp"
#include "memory/roster.hpp"

namespace gondwana {

class NodeMemory {
 public:
  // Returns the descriptors that NodePlan::descriptors() counts, in order, from 0. The memfds are
  // closed here once they are mapped.
  using NextArena = std::function<Result<UniqueFd>(std::uint32_t number)>;

  // `self`: the rank of this process. The file of its arena is kept for the program's globals.
  static Result<std::shared_ptr<NodeMemory>> attach(const NodePlan& plan, const UniqueFd& control,
                                                    std::optional<Rank> self,
                                                    const NextArena& next_arena);

  // Fresh memory, for ranks that are threads of this process.
  static Result<std::shared_ptr<NodeMemory>> create(const NodeShare& share);

  const NodePlan& plan() const { return plan_; }
  const Roster& roster() const { return roster_; }

  // For ranks of this node only, here and below.
  std::byte* window(Rank rank) const {
    return arenas_.data() + roster_.slot_of(rank) * plan_.stride;
  }
  // The rank whose window contains the address; nothing if none does.
  std::optional<Rank> rank_at(const void* address) const {
    const auto at =
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - arenas_.data());
    const std::size_t slot = at / plan_.stride;
    if (slot >= roster_.slots()) return std::nullopt;
    return roster_.rank_in(static_cast<std::uint32_t>(slot));
  }
  // A put to `rank` rings it: the rank sleeps on program memory.
  Doorbell<RealAtomics>& data_bell(Rank rank) const {
    return shared_at<Doorbell<RealAtomics>>(window(rank), system_area::data_bell.offset);
  }
  RankFacts& facts(Rank rank) const {
    return shared_at<RankFacts>(window(rank), system_area::facts.offset);
  }
  EndpointInfo& endpoint_info(Rank rank) const {
    return shared_at<EndpointInfo>(window(rank), system_area::endpoint_info.offset);
  }
  RemoteHeap remote_heap(Rank rank) const {
    std::byte* arena = window(rank);
    return {shared_at<RemoteHeapState>(arena, system_area::remote_heap.offset), arena};
  }
  NodeHeader& header() const { return in_control<NodeHeader>(0); }
  NodeTable& nodes() { return nodes_; }
  const NodeTable& nodes() const { return nodes_; }
  NodeEntry& entry(std::uint32_t node) const { return nodes_.entry(node); }
  // Of any rank of the job.
  DeathPlace& death(Rank rank) const { return in_control<DeathPlace>(ControlLayout::death(rank)); }
  RosterLog roster_log() const {
    return RosterLog({&in_control<RosterEntry>(ControlLayout::log()), RosterLog::capacity});
  }
  KeptHeap& kept_heap(Rank rank) const {
    return shared_at<KeptHeap>(window(rank), system_area::kept_heap.offset);
  }
  ControlPage& page(Rank rank) const {
    return in_control<ControlPage>(layout_.page(roster_.slot_of(rank)));
  }
  ThreadSlots& threads(Rank rank) const {
    return in_control<ThreadSlots>(layout_.threads(roster_.slot_of(rank)));
  }
  RankPages pages(Rank rank) const { return {&page(rank), &threads(rank)}; }
  // The rank must be in the team with that number.
  SyncLine<RealAtomics>& line(std::uint32_t team, Rank rank) const {
    return shared_at<SyncLine<RealAtomics>>(lines_, number_of(team, rank) * cache_line);
  }
  // The same, for members that shrink the team.
  ShrinkPlace<RealAtomics>& shrink(std::uint32_t team, Rank rank) const {
    return in_control<ShrinkPlace<RealAtomics>>(layout_.shrink(team, roster_.slot_of(rank)));
  }
  ShownTeam& shown_team(Rank rank, std::uint32_t team) const {
    return in_control<ShownTeam>(layout_.shown_team(roster_.slot_of(rank), team));
  }
  // Call it before this process uses the memory of a team with that number.
  void allow_team(std::uint32_t team) const;
  BatchPlace& batches(Rank rank) const {
    return in_control<BatchPlace>(layout_.batches(roster_.slot_of(rank)));
  }
  RelayPlace& relay(Rank rank) const {
    return in_control<RelayPlace>(layout_.relay(roster_.slot_of(rank)));
  }
  // The events of a rank of a traced job, or of the agent.
  std::byte* trace(Rank rank) const {
    return control_.data() + layout_.trace(roster_.slot_of(rank));
  }
  std::byte* trace_of_agent() const { return control_.data() + layout_.trace_of_agent(); }
  // The files that lie over parts of its arena; used by FileWindows and by the rank itself.
  ArenaFiles& files(Rank rank) const {
    return shared_at<ArenaFiles>(window(rank), system_area::files.offset);
  }
  // Maps `size` bytes of a file, from `from` on, over this process's window at `offset`; or unmaps
  // them.
  Result<void> map_file(Rank rank, std::size_t offset, const UniqueFd& file, std::size_t from,
                        std::size_t size) const;
  void map_none(Rank rank, std::size_t offset, std::size_t size) const;
  // An eventfd; -1 without an agent.
  int agent_bell() const { return agent_bell_.get(); }
  // Half `which` (0 or 1) of its scratch: ControlLayout::scratch_half bytes.
  std::byte* scratch(std::uint32_t team, Rank rank, std::uint32_t which) const {
    return scratch_ + (2 * number_of(team, rank) + which) * ControlLayout::scratch_half;
  }

  // Tells AddressSanitizer and memcheck, if they check this process, whether the program may touch
  // the symmetric memory at `offset`: in all arenas if this process is one rank, in the arena of
  // `rank` if ranks are threads.
  void allow_access(Rank rank, std::size_t offset, std::size_t size) const;
  void forbid_access(Rank rank, std::size_t offset, std::size_t size) const;

  // The file that holds the arena of this process, and the begin of the arena there.
  const UniqueFd& own_file() const { return own_file_; }
  std::size_t place_in_own_file() const { return plan_.place_in_file(roster_.slot_of(*self_)); }
  void forget_own_file() { own_file_.reset(); }

 private:
  NodeMemory(const NodePlan& plan, std::optional<Rank> self, Mapping control, Mapping arenas)
      : plan_(plan),
        self_(self),
        layout_(plan),
        control_(std::move(control)),
        lines_(control_.data() + layout_.line(0, 0)),
        scratch_(control_.data() + layout_.scratch(0, 0)),
        nodes_(control_.data(), layout_),
        roster_(plan, nodes_, header().growth),
        arenas_(std::move(arenas)) {}

  // One of the places that each team has for each rank of the node.
  std::size_t number_of(std::uint32_t team, Rank rank) const {
    return std::size_t{team} * roster_.slots() + roster_.slot_of(rank);
  }
  void forbid_teams() const;
  bool is_peer(Rank rank) const { return self_ && self_ != rank; }
  template <typename Tell>
  void tell_checkers(Rank rank, std::size_t offset, const Tell& tell) const;
  Result<void> attach_arenas(const NextArena& next_arena);
  Result<void> map_huge_pages(const UniqueFd& huge);
  void advise_arenas() const;
  void advise(Rank rank, std::size_t offset, std::size_t size) const;

  template <SharedStructure T>
  T& in_control(std::size_t offset) const {
    return shared_at<T>(control_.data(), offset);
  }

  NodePlan plan_;
  std::optional<Rank> self_;
  ControlLayout layout_;
  Mapping control_;
  std::byte* lines_;    // for team 0
  std::byte* scratch_;  // for team 0
  NodeTable nodes_;
  Roster roster_;
  Mapping arenas_;
  UniqueFd own_file_;
  UniqueFd agent_bell_;
};

}  // namespace gondwana
