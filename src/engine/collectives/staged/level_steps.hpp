// The steps of one collective of a team on several nodes.
#pragma once

#include <cstring>

#include "engine/collectives/staged/levels.hpp"

namespace gondwana::staged {

// The part that all collectives share. Only the leader allocates chain memory. Other members pass
// null unless they contribute or receive data.
class LevelSteps {
 public:
  LevelSteps(const Levels::Members& of, CallName call) : of_(of), call_(call) {}

  Chain take() { return std::move(chain_); }

  void meet();

 protected:
  bool is_leader() const { return of_.me.at == 0; }
  bool is_alone() const { return of_.node.size() == 1; }
  std::size_t in_all(std::size_t block) const { return of_.map.size() * block; }
  // Total bytes of the blocks of the largest node.
  std::size_t of_node(std::size_t block) const { return of_.map.most() * block; }
  MemberPlaces::Place root(const auto& what) const {
    return of_.map.place_of(what.flow.from ? *what.flow.from : *what.flow.to);
  }
  bool is_root_here(const auto& what) const { return root(what).node == of_.me.node; }

  std::byte* any_room(std::size_t size) { return chain_.keep(of_.node.with().rooms.take(size)); }
  std::byte* room(std::size_t size) { return is_leader() ? any_room(size) : nullptr; }
  void copy(std::byte* dest, const std::byte* source, std::size_t size) {
    if (dest != source && size > 0) chain_.then([=] { std::memcpy(dest, source, size); });
  }
  void add(StagedTeam& team, const auto& what, Waits waits) {
    with_step(team, call_, what, [&](auto step) { chain_.add(std::move(step), waits); });
  }
  void within_node(const auto& what) { add(of_.node, what, Waits::for_memory); }
  void between_nodes(const auto& what) {
    if (is_leader()) add(of_.leaders, what, Waits::for_network);
  }

  // Passes the leader's result to all members, or to the only member that needs it.
  void hand_out(const Flow& flow, std::size_t size, const std::byte* result, std::byte* dest);

  const Levels::Members of_;
  const CallName call_;
  Chain chain_;
};

class MovementSteps : public LevelSteps {
 public:
  using LevelSteps::LevelSteps;

  void move(const Movement& what);

 private:
  // Copies one block per member between two layouts. `source` of pack() and `dest` of unpack() are
  // in member order. The other array has map.most() blocks per node.
  void pack(std::byte* dest, const std::byte* source, std::size_t block);
  void unpack(std::byte* dest, const std::byte* source, std::size_t block);
  static std::size_t slot_of(const MemberPlaces& map, std::uint32_t member);
  // Gathers the blocks of this node in the leader's `room`, and returns `room`.
  std::byte* gather_node(const std::byte* source, std::size_t block, std::byte* room);
  void scatter_node(const std::byte* source, std::size_t block, std::byte* dest);
  void broadcast(const Movement& what);
  void scatter(const Movement& what);
  void gather(const Movement& what);
  void gather_all(const Movement& what);
  // `all` is in member order, and null if the flow does not end here.
  void gather_nodes(const Flow& flow, const std::byte* here, std::size_t block, std::byte* all);
  // A row contains the blocks that one member sends. A column contains the blocks that one member
  // receives. A cell contains the blocks of one node for another.
  void exchange(const Movement& what);
};

class ReductionSteps : public MovementSteps {
 public:
  using MovementSteps::MovementSteps;

  void reduce(const Reduction& what);

 private:
  // Reduces the members of this node to `sum`.
  void reduce_node(const Reduction& what, std::byte* sum);
  Flow between(const Flow& flow) const;
  void reduce_small(const Reduction& what, std::byte* result);
  // Leader k combines the k-th part of all nodes. The leaders then gather the parts.
  void reduce_large(const Reduction& what, std::byte* result);
  // The contributions of a node are not adjacent, so each member that needs the result combines all
  // of them.
  void reduce_in_order(const Reduction& what);
};

}  // namespace gondwana::staged
