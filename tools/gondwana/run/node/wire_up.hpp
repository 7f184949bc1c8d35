// The guardian's side of joining. It creates the job's memory when the first rank asks for it, and
// sends it to each rank as fast as that rank reads, without blocking.
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
    try_later,      // too many descriptors are in flight
    lost,           // the rank has gone
  };

  // `tag`: of a job on several nodes; 0: chosen here. `environment`: the ranks' environment.
  WireUp(const NodeShare& share, std::uint64_t tag, Environment environment)
      : share_(share),
        tag_(tag),
        environment_(std::move(environment)),
        joined_(share.slots()),
        next_(share.slots()) {}

  // `rank` asked to join; from now on advance() sends it the description of the job from the start.
  // Fails if the memory cannot be created, or if a program of that rank has already joined and run.
  Result<void> join(std::uint32_t rank);
  Progress advance(std::uint32_t rank, int socket);

  // The same for the node agent, which receives the same description as a rank.
  void join_agent() { next_of_agent_ = 0; }
  Progress advance_agent(int socket);

  bool anybody_joined() const { return memory_.has_value(); }
  bool has_joined(std::uint32_t rank) const { return joined_[rank]; }
  RankState state(std::uint32_t rank) const;
  // Null until a rank has joined.
  const ControlPage* page(std::uint32_t rank) const;
  // Informs the ranks of this node, if one has joined.
  void announce_purposeful_end(int status);
  // The memory that all ranks of this node share; available once a rank has joined.
  const NodeHeader& header() const;
  // The memory with the ranks' events; available once a rank has joined.
  const UniqueFd& control() const { return memory_->control(); }
  const NodePlan& plan() const { return memory_->plan(); }
  const Environment& environment() const { return environment_; }
  // The facts before any rank had the memory; available once a rank has joined.
  const NodeFacts& facts() const { return facts_; }
  // What the ranks of this node know about all nodes, writable; available once a rank has joined.
  NodeTable nodes() const;
  // The agent's contact for its own node, available once it serves. Nothing if a program has
  // damaged it.
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
  std::vector<std::uint32_t> next_;  // for each rank that has joined, the next item to send
  std::optional<std::uint32_t> next_of_agent_;
};

}  // namespace gondwana::launch
