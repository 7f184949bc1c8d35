#include "engine/collectives/staged/entered_barrier.hpp"

namespace gondwana::staged {

// Two members need no fence: that each misses the other keeps nobody else asleep.
EnteredBarrier::EnteredBarrier(StagedTeam& team)
    : team_(&team), line_(Lines(team), team.me()), epoch_(team.next_epoch()) {
  if (team.size() <= 2)
    line_.arrive(epoch_);
  else
    line_.advance(epoch_);
  team.tell_remote({}, {}, &team.own().line.epoch);
}

// Members sleep on either of their bells: on that of the barrier, or where they wait for more.
void EnteredBarrier::wake_sleepers() {
  line_.ring_sleepers(epoch_);
  for (std::uint32_t member = 0; member < team_->size(); ++member)
    if (member != team_->me() &&
        team_->scratch(member).line.epoch.load(std::memory_order_relaxed) <= epoch_)
      team_->wake(member);
}

}  // namespace gondwana::staged
