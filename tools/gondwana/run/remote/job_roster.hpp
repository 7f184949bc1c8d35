// The ranks of a job on several hosts, as its conductor knows them: which process each rank has,
// and which ranks are dead. It numbers the changes, as RosterLog does on each host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/death_list.hpp"

namespace gondwana::launch {

class JobRoster {
 public:
  // `restarts`: how often ranks of the job are started again.
  JobRoster(std::uint32_t ranks, std::uint32_t restarts)
      : ranks_(ranks), restarts_left_(restarts) {}

  // The number of ranks has grown.
  void grow(std::uint32_t ranks) { ranks_.resize(ranks); }
  // Whether the rank has this process now: it lives, or is started.
  bool has(const DeadRank& process) const;
  // Whether the rank is dead or has left.
  bool is_gone(std::uint32_t rank) const { return ranks_[rank].is_dead || ranks_[rank].has_left; }
  // The rank's present process, or its last one.
  DeadRank process_of(std::uint32_t rank) const { return {rank, ranks_[rank].incarnation}; }

  // Whether processes can take the places of all of these.
  bool can_restart(std::span<const DeadRank> processes) const;
  // The process has died. Another one takes its place if a host can start it and restarts are left.
  DeathKind die(const DeadRank& process, bool is_replaced);
  void leave(const DeadRank& process);
  // The process, which replaces another one, runs.
  void run(const DeadRank& process, std::uint32_t node) {
    ranks_[process.rank].running = process.incarnation;
    ranks_[process.rank].node = node;
  }
  // The rank, which was added, runs.
  void arrive(std::uint32_t rank) { ranks_[rank].has_arrived = true; }

  // So far.
  std::uint32_t changes() const { return changes_; }
  std::uint32_t restarts() const { return restarts_; }
  std::uint32_t restarts_left() const { return restarts_left_; }
  // The processes that replace others, and have run.
  struct Replacement {
    DeadRank process;
    std::uint32_t node;
  };
  std::vector<Replacement> replacements() const;
  // The ranks that were added, and have run.
  std::vector<std::uint32_t> arrived() const;
  // How many ranks are not gone.
  std::uint32_t alive() const;
  // Without those that have left; sorted.
  std::vector<std::uint32_t> dead() const;

 private:
  struct Record {
    std::uint32_t incarnation = 0;
    std::uint32_t running = 0;  // the last incarnation that has run
    std::uint32_t node = 0;     // its node
    bool is_dead = false;
    bool has_left = false;
    bool has_arrived = false;
  };

  std::vector<Record> ranks_;
  std::uint32_t restarts_left_;
  std::uint32_t restarts_ = 0;
  std::uint32_t changes_ = 0;
};

}  // namespace gondwana::launch
