// Collectives of a team on several nodes. They use shared memory within each node and messages
// between the leaders of the nodes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/collectives/staged/chain.hpp"
#include "engine/collectives/staged/entered_barrier.hpp"
#include "engine/collectives/staged/large_reduction.hpp"
#include "engine/collectives/staged/movement.hpp"

namespace gondwana::staged {

// The distribution of a team's members over nodes.
class MemberPlaces {
 public:
  // `nodes`: for each member, a number that identifies its node. Nodes are in the order of their
  // first members.
  explicit MemberPlaces(const std::vector<std::uint32_t>& nodes);

  struct Place {
    std::uint32_t node;
    std::uint32_t at;  // index among the members of the node

    bool operator==(const Place&) const = default;
  };
  Place place_of(std::uint32_t member) const { return places_[member]; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  std::span<const std::uint32_t> members_of(std::uint32_t node) const {
    return std::span(members_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }
  // The number of members of the largest node.
  std::uint32_t most() const { return max_; }
  // Whether all nodes have the same number of members, which are adjacent in the team.
  bool is_even() const { return is_even_; }
  // Whether the members of each node are adjacent in the team.
  bool is_in_order() const { return is_in_order_; }

 private:
  std::vector<Place> places_;
  std::vector<std::uint32_t> members_;  // ordered by node
  // The index in members_ of the first member of each node; last, the size of members_.
  std::vector<std::uint32_t> begins_;
  std::uint32_t max_ = 0;
  bool is_in_order_ = true;
  bool is_even_ = true;
};

class Levels {
 public:
  // What the steps of a collective see of the team.
  struct Members {
    const MemberPlaces& map;
    MemberPlaces::Place me;
    StagedTeam& node;
    StagedTeam& leaders;
  };

  // `node`: the members of this node, in order. `leaders`: the first member of each node. A member
  // that is not a leader can only send on behalf of its leader.
  Levels(MemberPlaces map, std::uint32_t me, std::unique_ptr<StagedTeam> node,
         std::unique_ptr<StagedTeam> leaders);

  Chain move(CallName call, const Movement& what) const;
  Chain reduce(CallName call, const Reduction& what) const;
  Chain meet(CallName call) const;
  LevelBarrier enter(LevelBarrier::Teller teller) const { return {*node_, *leaders_, teller}; }
  const StagedTeam& node() const { return *node_; }

 private:
  Members members() const { return {map_, me_, *node_, *leaders_}; }

  MemberPlaces map_;
  MemberPlaces::Place me_;
  std::unique_ptr<StagedTeam> node_;
  std::unique_ptr<StagedTeam> leaders_;
};

}  // namespace gondwana::staged
