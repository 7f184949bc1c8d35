// Barriers that this member has entered. They use lines alone, which only ever move forward: when
// one is complete, the scratch of the team may have another owner.
#pragma once

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana::staged {

// The lines of the members of one node as TeamSync wants them.
class Lines {
 public:
  explicit Lines(const StagedTeam& team) : team_(&team) {}

  std::uint32_t size() const { return team_->size(); }
  SyncLine<RealAtomics>& line(std::uint32_t member) const { return team_->scratch(member).line; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    return team_->with().memory.page(team_->rank_of(member)).sync_bell;
  }

 private:
  const StagedTeam* team_;
};

// Of members on one node. After the constructor it only reads the lines of the other members, so no
// step has to be advanced. A value.
class EnteredBarrier {
 public:
  // Enters. In the order of the team's collectives.
  explicit EnteredBarrier(StagedTeam& team);

  // Whether all have entered, and know it without further calls of this member, which may make
  // none for long. Once they have entered it also wakes those who sleep until then.
  bool advance() {
    if (!all_entered()) return false;
    wake_sleepers();
    return true;
  }
  bool all_entered() { return line_.all_reached(epoch_, from_); }
  void wake_sleepers();

 private:
  StagedTeam* team_;
  TeamSync<RealAtomics, Lines> line_;
  Epoch epoch_;
  std::uint32_t from_ = 0;  // the members before this one have entered
};

// Of members on several nodes. The member that comes last on its node is awake: it tells the
// leaders of the other nodes, in the name of its own. A leader that has heard of all nodes says
// that the barrier is complete.
class LevelBarrier {
 public:
  // Who may tell: where it is the leader alone, all that it has told before has arrived when the
  // barrier is complete.
  enum class Teller : std::uint8_t { last, leader };

  // Enters.
  LevelBarrier(StagedTeam& node, StagedTeam& leaders, Teller teller);

  bool advance();
  bool waits_for_network() const { return is_leader() && is_told_; }

 private:
  bool is_leader() const { return node_->me() == 0; }
  bool may_tell() const { return is_leader() || teller_ == Teller::last; }
  std::atomic<std::uint64_t>& complete() const { return node_->scratch(0).complete; }
  void tell();
  std::atomic<std::uint64_t>& entered(std::uint32_t node) const {
    return leaders_->scratch(node).entered[epoch_ % 2];
  }
  bool has_entered(std::uint32_t node) const {
    return entered(node).load(std::memory_order_acquire) >= epoch_;  // pairs with tell()
  }

  StagedTeam* node_;
  StagedTeam* leaders_;
  TeamSync<RealAtomics, Lines> line_;
  Teller teller_;
  Epoch epoch_;
  std::uint32_t from_ = 0;       // members before this one have come
  std::uint32_t from_node_ = 0;  // nodes before this one have entered
  bool is_told_ = false;         // all of this node have come
};

}  // namespace gondwana::staged
