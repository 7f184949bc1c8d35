#include "engine/collectives/staged/entered_barrier.hpp"

namespace gondwana::staged {

// If two members enter at once, the fence guarantees that at least one sees the other and wakes the
// rest. A team of two has no other members to wake.
EnteredBarrier::EnteredBarrier(StagedTeam& team)
    : team_(&team), line_(Lines(team), team.me()), epoch_(team.next_epoch()) {
  if (team.size() <= 2)
    line_.arrive(epoch_);
  else
    line_.advance(epoch_);
}

// A member that waits only for this barrier sleeps on its barrier bell. Any other sleeps on its
// data bell. A member may already have entered later barriers.
void EnteredBarrier::wake_sleepers() {
  const Lines members(*team_);
  for (std::uint32_t i = 1; i < team_->size(); ++i) {
    const std::uint32_t member = (team_->me() + i) % team_->size();
    members.doorbell(member).ring_if_asleep();
    team_->wake(member);
  }
}

LevelBarrier::LevelBarrier(StagedTeam& node, StagedTeam& leaders, Teller teller)
    : node_(&node),
      leaders_(&leaders),
      line_(Lines(node), node.me()),
      teller_(teller),
      epoch_(node.next_epoch()) {
  line_.advance(epoch_);
  tell();
}

// Announces only if the barriers before it are complete. Otherwise the leader tries again.
void LevelBarrier::tell() {
  const std::uint32_t me = leaders_->me();
  if (!line_.all_reached(epoch_, from_)) return;
  // Pairs with advance().
  if (may_tell() && complete().load(std::memory_order_acquire) + 1 >= epoch_ &&
      line_.claim(0, epoch_)) {
    entered(me).store(epoch_, std::memory_order_release);  // pairs with has_entered()
    tell_word(*leaders_, {}, &entered(me));
  }
  if (!is_leader()) node_->wake(0);
  is_told_ = has_entered(me);
}

bool LevelBarrier::advance() {
  if (!is_leader())
    return complete().load(std::memory_order_acquire) >= epoch_;  // pairs with the load below
  if (!is_told_) tell();
  while (is_told_ && from_node_ < leaders_->size() && has_entered(from_node_)) ++from_node_;
  if (from_node_ < leaders_->size()) return false;
  if (complete().load(std::memory_order_relaxed) < epoch_)
    complete().store(epoch_, std::memory_order_seq_cst);  // pairs with the store above
  node_->wake_others();
  return true;
}

}  // namespace gondwana::staged
