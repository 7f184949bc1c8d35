// The guardian's side of joining. It creates the job's memory when the first rank asks for it, and
// sends it to each rank as fast as that rank reads, without blocking.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bootstrap/job_memory.hpp"
#include "core/mapping.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "memory/death_list.hpp"
#include "memory/node_table.hpp"
#include "run/node/handout.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

class WireUp {
 public:
  using Progress = Handout::Progress;

  // `tag`: of a job on several nodes; 0: chosen here. `environment`: the ranks' environment.
  WireUp(const NodeShare& share, std::uint64_t tag, Environment environment,
         OnDeath on_death = OnDeath::end, Replacement replacement = Replacement::none)
      : share_(share),
        tag_(tag),
        on_death_(on_death),
        replacement_(replacement),
        environment_(std::move(environment)),
        ranks_(share.ranks),
        sessions_(share.slots(), share.first_session()),
        handout_(share.slots() + 1) {}

  // The ranks of this node join after the start of the job, on one of the nodes added so far.
  // `is_replacement`: they take the places of dead ones. `began_s`: when the job began; 0: now.
  void join_later(const Session& session, std::uint32_t added_nodes, bool is_replacement = false,
                  std::uint64_t began_s = 0);
  // Ranks that start together after the others get the next numbers. Fails if no rank has joined.
  Result<void> add(const Session& session);
  // The rank that starts next in this slot joins with the ranks of `session`.
  void begin_session(std::uint32_t rank, const Session& session) { sessions_[rank] = session; }

  // `rank` asked to join; from now on advance() sends it the description of the job from the start.
  // Fails if the memory cannot be created, or if a program of that rank has already joined and run.
  Result<void> join(std::uint32_t rank);
  Progress advance(std::uint32_t rank, int socket) { return advance(rank, rank, socket); }

  // Does the same for the node agent, which receives the Welcome of the first rank.
  void join_agent() { handout_.join(share_.slots()); }
  Progress advance_agent(int socket) { return advance(share_.slots(), 0, socket); }

  // The most ranks that this node may have.
  std::uint32_t slots() const { return share_.slots(); }
  bool anybody_joined() const { return memory_.has_value(); }
  bool has_joined(std::uint32_t rank) const { return handout_.has_joined(rank); }
  RankState state(std::uint32_t rank) const;
  // Null until a rank has joined.
  RankPages pages(std::uint32_t rank) const;
  // Informs the ranks of this node, if one has joined.
  void announce_purposeful_end(int status);
  // Whether the others can continue without a rank: all ranks of the start run, and none uses an
  // API that needs all of them. The others do not wait for ranks that were added.
  bool can_lose_ranks() const;
  // Whether a rank uses an API that needs all ranks.
  bool needs_all_ranks() const;
  // Informs the ranks of this node of the next death or leave, of a rank of any node.
  void announce_death(const DeadRank& dead, DeathKind how);
  // Whether it was told of the first changes of the roster; before any rank has memory.
  bool knows_changes(std::uint32_t changes) const;
  // Informs them that a process runs that replaces a dead rank.
  void announce_replacement(const RankRuns& runs);
  // The node is lost: operations to it fail.
  void announce_loss(std::uint32_t node);
  // Whether the programs of all ranks but these, by slot, know of all deaths.
  bool has_told(const std::vector<bool>& absent) const;
  // Prepares the memory of a dead rank for another process.
  Result<void> renew(std::uint32_t rank);
  // Nodes have been added, whose rows are in the table; a rank there runs; the ranks have decided
  // on a world.
  void announce_growth(const Grown& grown);
  void announce_arrival(std::uint32_t rank);
  void announce_world(const WorldDecision& decision);
  // Tells the members of a team among them that its members have decided.
  void announce_shrink(const ShrinkDecision& decision, const std::vector<std::uint32_t>& ranks);
  // The memory that all ranks of this node share; available once a rank has joined.
  const NodeHeader& header() const;
  // The memory with the ranks' events; available once a rank has joined.
  const UniqueFd& control() const { return memory_->control(); }
  const NodePlan& plan() const { return memory_->plan(); }
  std::uint64_t tag() const { return memory_->tag(); }
  const Environment& environment() const { return environment_; }
  // The facts before any rank had the memory; available once a rank has joined.
  const NodeFacts& facts() const { return facts_; }
  // The table of all nodes that the ranks of this node read, writable; available once a rank has
  // joined.
  NodeTable nodes() const;
  // The agent's contact for its own node, available once it serves. Nothing if a program has
  // damaged it.
  std::optional<NodeContact> own_contact() const;

 private:
  Result<void> create_memory();
  void write_past(NodeHeader& header) const;
  void ring_all();
  std::atomic<std::uint32_t>& arrival(std::uint32_t rank) const;
  NodeRanks node_ranks() const { return {share_.first, ranks_}; }
  bool is_awaited(std::uint32_t rank) const;
  // `place`: the rank whose Welcome the process gets.
  Progress advance(std::uint32_t process, std::uint32_t place, int socket);

  NodeShare share_;
  std::uint64_t tag_;
  OnDeath on_death_;
  Replacement replacement_;
  Environment environment_;
  std::uint32_t ranks_;            // so far
  std::vector<Session> sessions_;  // by slot
  std::uint32_t added_nodes_ = 0;  // when the ranks of this node join later
  bool is_replacement_ = false;
  std::uint64_t began_s_ = 0;
  // Before any rank had memory.
  std::vector<std::pair<DeadRank, DeathKind>> former_deaths_;
  std::vector<RankRuns> former_runs_;
  std::vector<std::uint32_t> former_arrivals_;
  std::optional<JobMemory> memory_;
  NodeFacts facts_{};
  Mapping control_;
  Handout handout_;  // the ranks, and last the agent
};

}  // namespace gondwana::launch
