// The barrier of many members. They form groups of neighbours. A member that sees its whole group
// arrived says so in the first member's line. Members poll their own group and one word of each
// group, and wake few others: each of n members polls about sqrt(n) lines, not n.
//
// Model-checked in tests/unit/team_sync_model_test.cpp.
#pragma once

#include <algorithm>

#include "sync/team_sync.hpp"

namespace gondwana {

template <AtomicsPolicy A, TeamMembers<A> Members>
class GroupedSync {
 public:
  GroupedSync(Members members, std::uint32_t me, std::uint32_t group_size)
      : members_(members),
        me_(me),
        group_size_(group_size),
        first_(first_of(me / group_size)),
        end_(std::min(first_ + group_size, members.size())) {}

  // See TeamSync.
  void arrive(Epoch epoch) {
    members_.line(me_).epoch.store(epoch, std::memory_order_release);  // pairs with has_reached()
  }

  // The progress of a waiting member's polls.
  struct Progress {
    std::uint32_t members = 0;  // in its group
    std::uint32_t groups = 0;
  };
  bool all_reached(Epoch epoch, Progress& progress) {
    if (first_ + progress.members < end_) {
      while (first_ + progress.members < end_ &&
             has_reached<A>(members_.line(first_ + progress.members), epoch))
        ++progress.members;
      if (first_ + progress.members == end_) tell(epoch);
    }
    while (progress.groups < groups() && has_told(progress.groups, epoch)) ++progress.groups;
    return progress.groups == groups();
  }

  // Called by each member that sees the epoch complete. It wakes its group, and two members of each
  // other group, which then wake the rest there. A single one may be busy in a handler.
  void ring_sleepers(Epoch epoch) {
    for (std::uint32_t member = first_; member < end_; ++member) ring(member, epoch);
    for (std::uint32_t i = 1; i < groups(); ++i)
      ring_two(first_of((me_ / group_size_ + i) % groups()), epoch);
  }

 private:
  std::uint32_t groups() const { return (members_.size() + group_size_ - 1) / group_size_; }
  std::uint32_t first_of(std::uint32_t group) const { return group * group_size_; }
  bool has_told(std::uint32_t group, Epoch epoch) const {
    return members_.line(first_of(group)).group.load(std::memory_order_seq_cst) >= epoch;
  }

  // The word only moves forward, because a later team of other members may use it already. seq_cst:
  // if two members announce the last two groups at once, at least one sees both.
  void tell(Epoch epoch) {
    typename A::Counter& group = members_.line(first_).group;
    Epoch before = group.load(std::memory_order_relaxed);
    while (before < epoch &&
           !group.compare_exchange_strong(before, epoch, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
    }
  }

  void ring_two(std::uint32_t first, Epoch epoch) {
    ring(first, epoch);
    ring(std::min(first + group_size_, members_.size()) - 1, epoch);
  }
  // A member that has gone on has woken its group.
  void ring(std::uint32_t member, Epoch epoch) {
    if (member != me_ && members_.line(member).epoch.load(std::memory_order_relaxed) <= epoch)
      members_.doorbell(member).ring_if_asleep();
  }

  Members members_;
  std::uint32_t me_;
  std::uint32_t group_size_;
  std::uint32_t first_;
  std::uint32_t end_;
};

}  // namespace gondwana
