// The guardian's side of joining: makes the memory of the job when the first rank asks for it, and
// hands it out as fast as each rank takes it, never waiting for one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bootstrap/job_memory.hpp"
#include "core/mapping.hpp"
#include "core/result.hpp"
#include "memory/node_table.hpp"

namespace gondwana::launch {

class WireUp {
 public:
  enum class Progress {
    done,           // the rank has been sent everything it asked for
    wait_for_room,  // its socket is full
    try_later,      // too many descriptors are under way for now
    lost,           // it is gone
  };

  // `tag`: of a job of several nodes; 0: chosen here. `environment`: of the ranks.
  WireUp(const NodeShare& share, std::uint64_t tag, Environment environment)
      : share_(share),
        tag_(tag),
        environment_(std::move(environment)),
        joined_(share.slots()),
        next_(share.slots()) {}

  // `rank` asked to join; from now on advance() sends it the job from the beginning. An error where
  // the memory cannot be made, or where a program of that rank has joined before and ran.
  Result<void> join(std::uint32_t rank);
  Progress advance(std::uint32_t rank, int socket);

  // The same for the node agent, which is sent the job as a rank is.
  void join_agent() { next_of_agent_ = 0; }
  Progress advance_agent(int socket);

  bool anybody_joined() const { return memory_.has_value(); }
  bool has_joined(std::uint32_t rank) const { return joined_[rank]; }
  RankState state(std::uint32_t rank) const;
  // Null until a rank has joined.
  const ControlPage* page(std::uint32_t rank) const;
  // To the ranks of this node, if any has joined.
  void announce_purposeful_end(int status);
  // What all ranks of this node see; only once a rank has joined.
  const NodeHeader& header() const;
  // Where events of the ranks are; only once a rank has joined.
  const UniqueFd& control() const { return memory_->control(); }
  const NodePlan& plan() const { return memory_->plan(); }
  const Environment& environment() const { return environment_; }
  // As they were before any rank had the memory; only once a rank has joined.
  const NodeFacts& facts() const { return facts_; }
  // What the ranks of this node know of all nodes, to be written; only once a rank has joined.
  NodeTable nodes() const;
  // What the agent has written of its own node; only once it serves. Nothing where a program has
  // damaged that.
  std::optional<NodeContact> own_contact() const;

 private:
  Result<void> create_memory();
  Progress advance(std::uint32_t rank, std::uint32_t& next, int socket);

  NodeShare share_;
  std::uint64_t tag_;
  Environment environment_;
  std::optional<JobMemory> memory_;
  NodeFacts facts_{};
  Mapping control_;
  std::vector<bool> joined_;
  std::vector<std::uint32_t> next_;  // per rank that has joined the item to be sent next
  std::optional<std::uint32_t> next_of_agent_;
};

}  // namespace gondwana::launch
