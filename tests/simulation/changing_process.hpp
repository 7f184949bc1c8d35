// The nodes and processes of a ChangingJob, and what they agree on.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/collectives/conducted_shrink.hpp"
#include "engine/collectives/conducted_update.hpp"
#include "memory/death_list.hpp"
#include "run/node/known_nodes.hpp"
#include "simulation/changing_job.hpp"
#include "sync/number_offer.hpp"
#include "sync/team_shrink.hpp"
#include "sync/world_update.hpp"

namespace gondwana::simulation {

inline constexpr std::uint64_t first_numbers = 3;  // of the world and of the shared team

struct ChangingJob::Agreed {
  std::vector<std::uint32_t> members;
  std::uint32_t deaths;
  std::uint64_t numbers;
  std::uint64_t epoch;
  bool operator==(const Agreed&) const = default;
};

struct ChangingJob::Team {
  std::uint32_t number;
  std::vector<std::uint32_t> ranks;
  std::uint64_t epoch;
  std::uint64_t shrinks;
  std::uint32_t made_at;

  std::uint32_t member(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::ranges::find(ranks, rank) - ranks.begin());
  }
};

struct ChangingJob::Node : HostNode {
  std::optional<launch::WireUp> wire = {};
  std::shared_ptr<NodeMemory> memory = {};
  std::uint32_t changes = 0;          // of which it was told
  std::set<std::uint32_t> rows = {};  // the nodes that it knows
  std::optional<launch::KnownNodes> known = {};
  std::map<std::uint32_t, Process*> processes = {};  // the last ones, by rank
  bool has_numbers = true;                           // its ranks have
  std::vector<std::uint32_t> awaited = {};           // slots of ranks to be started again
  Time awaited_until = 0;

  std::uint32_t first() const { return part.share.first; }
  std::uint32_t size() const { return guardian->ranks().size(); }
  bool knows_all_nodes() const {
    return !part.share.has_conductor() || rows.size() >= part.share.nodes + part.share.added_nodes;
  }
};

struct ChangingJob::Process {
  Node* node;
  std::uint32_t rank;
  std::uint32_t incarnation;
  pid_t pid;
  Session session;
  bool is_alive = true;
  bool has_joined = false;  // the guardian has read its message
  bool has_run = false;
  bool has_left = false;
  bool has_finalized = false;
  bool is_asked = false;  // it has handled SIGTERM
  bool is_polling = false;
  std::uint32_t syncs = 0;              // of its session that it has entered
  std::uint32_t known = 0;              // changes of which it was told by a signal
  std::uint64_t turn = 0;               // its last update
  std::uint64_t free = ~first_numbers;  // team numbers
  std::uint64_t taken = 0;              // offered
  std::uint64_t first_epoch = 0;        // see Teams
  std::map<std::uint32_t, std::uint64_t> last_epochs = {};
  std::optional<Team> world = {};
  bool asks = false;  // for more ranks
  std::optional<launch::Answer> answer = {};
  std::deque<std::function<void()>> messages = {};  // that the guardian has not read
  std::function<bool()> wait = {};
  std::function<void(const WorldEntry&)> enter_world = {};
  std::function<void(const ShrinkEntry&)> enter_shrink = {};

  std::uint32_t slot() const { return rank - node->first(); }
  ControlPage& page() const { return node->memory->page(Rank(rank)); }
  DeathList deaths() const { return DeathList(*node->memory); }
  DeadRank itself() const { return {rank, incarnation}; }
  bool is_missed() const { return is_alive && !has_left && !has_finalized; }
};

// The ranks of the job, as the real updates see them. See engine/collectives/world.cpp.
struct ChangingRanks {
  const NodeMemory* memory;

  WorldPlace<RealAtomics>& place(std::uint32_t rank) const {
    return memory->page(Rank(rank)).world_place;
  }
  Doorbell<RealAtomics>& doorbell(std::uint32_t rank) const {
    return memory->page(Rank(rank)).sync_bell;
  }
  std::atomic<std::uint64_t>& decided() const { return memory->header().growth.world; }
  OfferPlace<RealAtomics>& agreed() const { return memory->header().growth.agreed; }
  std::uint32_t size() const { return memory->roster().size(); }
  std::uint32_t deaths() const { return DeathList(*memory).size(); }
  bool lives(std::uint32_t rank, std::uint32_t deaths) const {
    return memory->roster_log().lives(Rank(rank), deaths);
  }
  std::uint32_t starts(std::uint32_t rank, std::uint32_t deaths) const {
    return memory->roster_log().starts(Rank(rank), deaths);
  }
};

// The members of a team, as the real shrinks see them. See engine/collectives/shrink.cpp.
struct ChangingMembers {
  const NodeMemory* memory;
  std::uint32_t number;
  std::vector<std::uint32_t> ranks;
  std::uint32_t made_at;

  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
  ShrinkPlace<RealAtomics>& place(std::uint32_t i) const {
    return memory->shrink(number, Rank(ranks[i]));
  }
  Doorbell<RealAtomics>& doorbell(std::uint32_t i) const {
    return memory->page(Rank(ranks[i])).sync_bell;
  }
  std::uint32_t deaths() const { return DeathList(*memory).size(); }
  std::uint32_t death_of(std::uint32_t i) const {
    return DeathList(*memory).first_death(Rank(ranks[i]), made_at);
  }
};

std::shared_ptr<NodeMemory> map_memory(const launch::WireUp& wire);

inline ChangingJob::Node& ChangingJob::own(HostNode& node) {
  return static_cast<Node&>(node);
}

}  // namespace gondwana::simulation
