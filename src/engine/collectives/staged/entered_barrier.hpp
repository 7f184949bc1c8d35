// Barriers that this member has entered. They use only lines, which never move back. So the team's
// scratch may have another owner after a barrier is complete.
#pragma once

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana::staged {

// The lines of the members of one node, as TeamSync expects them.
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

// A barrier of members on one node. After its constructor it only reads the lines of other members,
// so no step needs to be advanced. Copyable.
class EnteredBarrier {
 public:
  // Enters the barrier, in the order of the team's collectives.
  explicit EnteredBarrier(StagedTeam& team);

  // Whether all have entered and can detect this without further calls by this member, which may
  // make none for long. Once all have entered, it also wakes the sleeping members.
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

// A barrier of members on several nodes. The last member to arrive on its node is awake, so it
// informs the leaders of the other nodes on behalf of its own leader. A leader that has heard from
// all nodes marks the barrier complete.
class LevelBarrier {
 public:
  // The member that may inform the other nodes. If only the leader may, all its earlier messages
  // have arrived when the barrier is complete.
  enum class Teller : std::uint8_t { last, leader };

  // Enters the barrier.
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
  std::uint32_t from_ = 0;       // members before this one have arrived
  std::uint32_t from_node_ = 0;  // nodes before this one have entered
  bool is_told_ = false;         // all members of this node have arrived
};

}  // namespace gondwana::staged
