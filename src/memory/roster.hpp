// Which ranks a job has, and where each is. A job has all of its ranks from its beginning on, and
// none is replaced: so size() is capacity(), and each incarnation is the first.
#pragma once

#include <cstdint>

#include "memory/node_plan.hpp"
#include "memory/node_table.hpp"

namespace gondwana {

class Roster {
 public:
  struct Where {
    std::uint32_t node;
    std::uint32_t slot;  // among the ranks of that node
    std::uint32_t incarnation = 0;
  };

  // `nodes` outlives it.
  Roster(const NodeShare& share, const NodeTable& nodes) : share_(share), nodes_(nodes) {}

  // The most ranks that the job may have: what is kept by rank has that many places.
  std::uint32_t capacity() const { return share_.capacity(); }
  std::uint32_t size() const { return share_.job_ranks; }
  std::uint32_t nodes() const { return share_.nodes; }

  // This node, its ranks, and how many it may have.
  std::uint32_t node() const { return share_.node; }
  NodeRanks here() const { return share_.node_ranks(); }
  std::uint32_t slots() const { return share_.slots(); }
  bool is_here(Rank rank) const { return here().holds(rank); }
  // Of a rank of this node.
  std::uint32_t slot_of(Rank rank) const { return here().slot_of(rank); }

  // Whether this node knows of every node; if it is one of several, this takes some time to come.
  bool knows_all_nodes() const;
  // Of another node, and of a rank elsewhere, once all nodes are known.
  NodeRanks ranks_of(std::uint32_t node) const;
  Where where(Rank rank) const;

 private:
  NodeShare share_;
  const NodeTable& nodes_;
};

}  // namespace gondwana
