// The ranks of a job and their places. A job may get more ranks while it runs, up to its capacity:
// their numbers follow those of the others, and no number is used again. In a job on several nodes
// they are on nodes that are added, and so are ranks that are started again because their node was
// lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "memory/control_page.hpp"
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

  // Both references outlive this object.
  Roster(const NodeShare& share, const NodeTable& nodes, const Growth& growth)
      : share_(share), nodes_(nodes), growth_(growth) {}

  // The most ranks that the job may have: the length of per-rank tables.
  std::uint32_t capacity() const { return share_.capacity(); }
  // The ranks that have a number, although some may not have joined yet, and others have left.
  std::uint32_t size() const { return share_.job_ranks + added(); }
  // The number of ranks at the start of the job: it never changes.
  std::uint32_t first_size() const { return share_.job_ranks; }
  std::uint32_t nodes() const { return share_.nodes + added_nodes(); }
  // The nodes at the start of the job, and the most that it may have.
  std::uint32_t first_nodes() const { return share_.nodes; }
  std::uint32_t node_slots() const { return share_.node_slots(); }

  // This node, its ranks, and the most that it may have.
  std::uint32_t node() const { return share_.node; }
  NodeRanks here() const { return {share_.first, share_.ranks + added_here()}; }
  std::uint32_t slots() const { return share_.slots(); }
  bool is_here(Rank rank) const { return here().holds(rank); }
  // The rank must be of this node.
  std::uint32_t slot_of(Rank rank) const { return index(rank) - share_.first; }
  Rank rank_in(std::uint32_t slot) const { return Rank(share_.first + slot); }

  // Whether this node knows every node. In a job of several nodes this takes some time.
  bool knows_all_nodes() const;
  // These two apply to other nodes and their ranks, once all nodes are known.
  NodeRanks ranks_of(std::uint32_t node) const;
  Where where(Rank rank) const;

 private:
  // The program may have damaged the numbers.
  std::uint32_t added() const {
    return std::min(growth_.added.load(std::memory_order_relaxed),
                    share_.capacity() - share_.job_ranks);
  }
  std::uint32_t added_here() const {
    return std::min(growth_.added.load(std::memory_order_relaxed), share_.slots() - share_.ranks);
  }
  // The infos of added nodes are then visible. Pairs with the release in the guardian.
  std::uint32_t added_nodes() const {
    return std::min(growth_.nodes.load(std::memory_order_acquire),
                    share_.node_slots() - share_.nodes);
  }

  NodeShare share_;
  const NodeTable& nodes_;
  const Growth& growth_;
};

}  // namespace gondwana
