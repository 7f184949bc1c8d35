// How the members of a team wait for one another: each has a line with the epoch it has reached.
//
// A member writes only its own line and reads the others'. There is no contended counter, and no
// member must be scheduled to release the rest: a member that sees all lines continues. On two
// ranks that is one cache-line transfer each way, the minimum.
//
// A line only moves forward, and never wraps: a member that still polls it for a former team sees
// its epoch. Model-checked in tests/unit/team_sync_model_test.cpp.
#pragma once

#include "sync/doorbell.hpp"

namespace gondwana {

using Epoch = std::uint64_t;

template <AtomicsPolicy A>
struct SyncLine {
  alignas(cache_line) typename A::Counter epoch;
  typename A::Counter claimed;  // the last epoch in which a member took the owner's work
  typename A::Counter group;    // in the first of a group: the whole group has reached this epoch
};

// True when the owner of `line` has reached `epoch`: its earlier writes are then visible. seq_cst
// and not acquire: processors with LDAPR may perform an acquire load before the seq_cst store of
// advance(). Then two members would miss each other, and neither would ring.
template <AtomicsPolicy A>
bool has_reached(const SyncLine<A>& line, Epoch epoch) {
  return line.epoch.load(std::memory_order_seq_cst) >= epoch;  // pairs with advance()
}

// The lines of a team, addressed by team rank. `Member` provides line(i) and doorbell(i).
template <typename M, typename A>
concept TeamMembers = requires(M members, std::uint32_t i) {
  { members.size() } -> std::convertible_to<std::uint32_t>;
  { members.line(i) } -> std::same_as<SyncLine<A>&>;
  { members.doorbell(i) } -> std::same_as<Doorbell<A>&>;
};

template <AtomicsPolicy A, TeamMembers<A> Members>
class TeamSync {
 public:
  TeamSync(Members members, std::uint32_t me) : members_(members), me_(me) {}

  // Announces that this member has reached `epoch` and now waits for the others: its writes are
  // visible to a member that sees the line. The store may still be in flight while it polls the
  // other lines. So a barrier of two takes only the time of two cache-line transfers.
  void arrive(Epoch epoch) {
    members_.line(me_).epoch.store(epoch, std::memory_order_release);  // pairs with has_reached()
  }

  // Announces that this member has reached `epoch` and may continue without waiting. In addition,
  // of two members that advance at once, at least one sees the other's line afterwards, and wakes a
  // member that waits for both.
  void advance(Epoch epoch) {
    members_.line(me_).epoch.store(epoch, std::memory_order_seq_cst);  // pairs with has_reached()
  }

  bool reached(std::uint32_t member, Epoch epoch) const {
    return has_reached<A>(members_.line(member), epoch);
  }

  // All members are at `epoch`. `from` keeps the progress of the last poll, so a waiting member
  // polls one line and not all.
  using Progress = std::uint32_t;
  bool all_reached(Epoch epoch, Progress& from) const {
    while (from < members_.size() && reached(from, epoch)) ++from;
    return from == members_.size();
  }

  bool all_reached(Epoch epoch) const {
    std::uint32_t from = 0;
    return all_reached(epoch, from);
  }

  // Takes over the work for `member` in `epoch`: true for only one of the members that try. It
  // orders no other memory: a member that comes too late waits for the line of the one that took
  // it.
  bool claim(std::uint32_t member, Epoch epoch) {
    typename A::Counter& claimed = members_.line(member).claimed;
    Epoch before = claimed.load(std::memory_order_relaxed);
    return before < epoch &&
           claimed.compare_exchange_strong(before, epoch, std::memory_order_relaxed,
                                           std::memory_order_relaxed);
  }

  // Wakes the members that may sleep until all are at `epoch`. Called by each member that sees it
  // complete: the last one to see it may be the only one awake. A member that has reached a later
  // epoch sleeps only for that one.
  void ring_sleepers(Epoch epoch) {
    for (std::uint32_t i = 1; i < members_.size(); ++i) {
      const std::uint32_t next = me_ + i;
      const std::uint32_t member = next < members_.size() ? next : next - members_.size();
      if (members_.line(member).epoch.load(std::memory_order_relaxed) <= epoch)
        members_.doorbell(member).ring_if_asleep();
    }
  }

 private:
  Members members_;
  std::uint32_t me_;
};

}  // namespace gondwana
