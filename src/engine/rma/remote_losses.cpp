// What a rank does about lost nodes in a job that continues without their ranks.
#include <chrono>
#include <thread>

#include "core/load.hpp"
#include "core/machine.hpp"
#include "engine/rma/remote_access.hpp"
#include "memory/death_list.hpp"

namespace gondwana {

// If the job continues without some ranks, the launcher tells of a loss that is one. Returns
// whether it does, within some time. The agent of this node may itself be lost.
bool RemoteAccess::are_lost_dead() const {
  const Losses& losses = waiter_->losses();
  if (!losses.may_lack_ranks()) return false;
  const std::uint64_t until = monotonic_ns() + stretched(time_to_tell_ns);
  for (std::uint32_t rank = 0; rank < losses.ranks();) {
    if (wire_->lost(Rank(rank)) == nullptr || losses.list().has(Rank(rank)))
      ++rank;
    else if (monotonic_ns() < until)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    else
      return false;
  }
  return true;
}

void RemoteAccess::tell_lost(const Error& loss) const {
  if (lost_ && !are_lost_dead()) lost_(loss);
}

}  // namespace gondwana
