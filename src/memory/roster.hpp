// The ranks of a job and their places. A job has all of its ranks from the start, and none is
// replaced: size() equals capacity(), and each incarnation is the first.
#pragma once

#include <cstdint>

#include "memory/node_plan.hpp"
#include "memory/node_table.hpp"

namespace gondwana {

class Roster {
 public:
  struct Where {
    std::uint32_t node;
    std::uint32_t slot;  // index on that node
    std::uint32_t incarnation = 0;
  };

  // `nodes` outlives this object.
  Roster(const NodeShare& share, const NodeTable& nodes) : share_(share), nodes_(nodes) {}

  // The most ranks that the job may have: the length of per-rank tables.
  std::uint32_t capacity() const { return share_.capacity(); }
  std::uint32_t size() const { return share_.job_ranks; }
  std::uint32_t nodes() const { return share_.nodes; }

  // This node, its ranks, and the most that it may have.
  std::uint32_t node() const { return share_.node; }
  NodeRanks here() const { return share_.node_ranks(); }
  std::uint32_t slots() const { return share_.slots(); }
  bool is_here(Rank rank) const { return here().holds(rank); }
  // The rank must be of this node.
  std::uint32_t slot_of(Rank rank) const { return here().slot_of(rank); }

  // Whether this node knows every node. In a job of several nodes this takes some time.
  bool knows_all_nodes() const;
  // These two apply to other nodes and their ranks, once all nodes are known.
  NodeRanks ranks_of(std::uint32_t node) const;
  Where where(Rank rank) const;

 private:
  NodeShare share_;
  const NodeTable& nodes_;
};

}  // namespace gondwana
