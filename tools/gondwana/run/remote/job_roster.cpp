#include "run/remote/job_roster.hpp"

#include <algorithm>

#include "memory/roster_log.hpp"

namespace gondwana::launch {
namespace {

// Messages between nodes have 11 bits for the number of a process (remote/protocol.hpp).
constexpr std::uint32_t max_incarnation = (1U << 11) - 1;

}  // namespace

bool JobRoster::has(const DeadRank& process) const {
  return process.rank < ranks_.size() && !is_gone(process.rank) &&
         ranks_[process.rank].incarnation == process.incarnation;
}

// The log needs a place for the death of each rank.
bool JobRoster::can_restart(std::span<const DeadRank> processes) const {
  return processes.size() <= restarts_left_ &&
         changes_ + 2 * processes.size() + ranks_.size() < RosterLog::capacity &&
         std::ranges::all_of(
             processes,
             [this](const DeadRank& process) {
               return ranks_[process.rank].incarnation < max_incarnation;
             });
}

DeathKind JobRoster::die(const DeadRank& process, bool is_replaced) {
  Record& record = ranks_[process.rank];
  const bool can_start = can_restart({&process, 1});
  ++changes_;
  if (!is_replaced || !can_start) {
    record.is_dead = true;
    return DeathKind::death;
  }
  --restarts_left_;
  ++restarts_;
  ++changes_;
  ++record.incarnation;
  return DeathKind::replaced_death;
}

void JobRoster::leave(const DeadRank& process) {
  ranks_[process.rank].has_left = true;
  ++changes_;
}

std::vector<JobRoster::Replacement> JobRoster::replacements() const {
  std::vector<Replacement> processes;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].running > 0)
      processes.push_back({{rank, ranks_[rank].running}, ranks_[rank].node});
  return processes;
}

std::vector<std::uint32_t> JobRoster::arrived() const {
  std::vector<std::uint32_t> arrived;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].has_arrived) arrived.push_back(rank);
  return arrived;
}

std::uint32_t JobRoster::alive() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      ranks_, [](const Record& each) { return !each.is_dead && !each.has_left; }));
}

std::vector<std::uint32_t> JobRoster::dead() const {
  std::vector<std::uint32_t> dead;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].is_dead) dead.push_back(rank);
  return dead;
}

}  // namespace gondwana::launch
