// The deaths of ranks in a job that continues, as the waits of one rank see them.
//
// A wait that needs a dead rank is hopeless: it names that rank, or a team in which it is a member.
// Any rank may fulfill a wait for words. It is hopeless if a rank has died of which the
// program does not know: the program acknowledges deaths.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "memory/death_list.hpp"

namespace gondwana {

// Thrown by a wait that is hopeless, because each caller up to the front door must give up, too.
// `deaths`: their number so far.
struct HopelessWait {
  std::uint32_t deaths;
};

class Losses {
 public:
  // Whether a member of the rank's team with that number has died.
  using TeamCheck = std::function<bool(std::uint32_t team)>;

  explicit Losses(const NodeMemory& memory) : memory_(&memory), list_(memory) {}

  const DeathList& list() const { return list_; }
  // Whether the job continues after deaths.
  bool job_goes_on() const {
    return memory_->header().goes_on.load(std::memory_order_relaxed) != 0;
  }
  // Whether the job may continue without some ranks: they may leave a job that may grow.
  bool may_lack_ranks() const {
    const Roster& roster = memory_->roster();
    return job_goes_on() || roster.capacity() > roster.first_size();
  }
  std::uint32_t ranks() const { return memory_->roster().size(); }
  void check_teams_by(TeamCheck has_dead) { team_has_dead_ = std::move(has_dead); }
  bool team_has_dead(std::uint32_t team) const { return team_has_dead_ && team_has_dead_(team); }

  // Whether the rank is dead, or another process has taken its place and the program does not know.
  bool has_lost(Rank rank) const { return list_.has(rank) || is_unknown(list_.place_of(rank)); }

  // See Transport::heed(). Set once, before the first call.
  void tell_heeded_by(std::function<void(std::uint32_t changes)> tell) {
    tell_heeded_ = std::move(tell);
  }
  // From now on operations are for the processes that live after the first `changes` changes.
  void heed(std::uint32_t changes) const {
    std::uint32_t before = heeded_.load(std::memory_order_relaxed);
    if (before >= changes) return;
    if (tell_heeded_) tell_heeded_(changes);
    while (before < changes && !heeded_.compare_exchange_weak(before, changes)) {
    }
  }

  // The program knows of the first `deaths` changes.
  void acknowledge(std::uint32_t deaths) const {
    heed(deaths);
    std::uint32_t before = acknowledged_.load(std::memory_order_relaxed);
    while (before < deaths && !acknowledged_.compare_exchange_weak(before, deaths)) {
    }
  }
  // A rank that leaves has done what others wait for, so a leave is known without a call.
  bool is_unknown(std::uint32_t deaths) const {
    const std::uint32_t known = acknowledged_.load(std::memory_order_relaxed);
    if (deaths <= known) return false;
    if (list_.has_real_after(known)) return true;
    acknowledge(deaths);
    return false;
  }

 private:
  const NodeMemory* memory_;
  DeathList list_;
  TeamCheck team_has_dead_;  // set once, before the first wait of a team
  std::function<void(std::uint32_t changes)> tell_heeded_;
  mutable std::atomic<std::uint32_t> heeded_{0};
  mutable std::atomic<std::uint32_t> acknowledged_{0};
};

}  // namespace gondwana
