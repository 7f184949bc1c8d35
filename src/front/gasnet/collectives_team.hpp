// What a member keeps for the collectives of a team: which number comes next, which are finished,
// whose turn it is to stage large payloads.
//
// The client's threads take turns in starting collectives of a team, but each may be moved on by
// any of them.
#pragma once

#include <memory>
#include <mutex>

#include "front/gasnet/collectives_slots.hpp"
#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

class SplitBarrier;

// Gives up where a collective may not be called.
void check_collective(const Team& team, CallName call);

class TeamCollectives {
 public:
  static constexpr std::uint64_t nowhere = CollectiveLayout::nowhere;

  // Of a team that has members, made when it is first asked for.
  static TeamCollectives& of(Team& team, CallName call);
  explicit TeamCollectives(Team& team);
  ~TeamCollectives();
  TeamCollectives(const TeamCollectives&) = delete;
  TeamCollectives& operator=(const TeamCollectives&) = delete;

  std::uint32_t size() const { return team_.size; }
  std::uint32_t rank() const { return team_.rank; }
  Door& door() const { return *team_.door; }

  Turn take_turn() { return ++turns_; }
  // Whether every member has finished what used the slots of this turn before.
  bool may_begin(Turn turn) {
    // Pairs with look_at_finished(): what others read in the slot, they have read.
    return turn <= all_finished_.load(std::memory_order_acquire) + CollectiveLayout::depth ||
           turn <= look_at_finished() + CollectiveLayout::depth;
  }
  // This member has: it neither reads nor writes for this turn any more.
  void finish(Turn turn);

  CollectiveSlot& slot(std::uint32_t member, Turn turn) const {
    return control(member).slots[CollectiveLayout::slot(member, turn)];
  }
  // CollectiveLayout::small_size bytes, and area_size bytes.
  std::byte* payload(std::uint32_t member, Turn turn) const {
    return team_.boards[member]->data() +
           CollectiveLayout::slot(member, turn) * CollectiveLayout::small_size;
  }
  std::byte* area(std::uint32_t member) const {
    return team_.boards[member]->data() + CollectiveLayout::area_offset;
  }

  // Where a range of this process's memory lies in its arena, which all members see; `nowhere`.
  std::uint64_t offset_of(const void* address, std::size_t size) const;
  const std::byte* at(std::uint32_t member, std::uint64_t offset) const {
    return memory().window(team_.process(member)) + offset;
  }

  // The area is lent to one collective after the other, in the order of their turns.
  std::uint64_t queue_for_area() { return area_tickets_++; }
  bool has_area(std::uint64_t ticket) const {
    return area_served_.load(std::memory_order_acquire) == ticket;  // pairs with release_area()
  }
  // Nobody reads there any more.
  void release_area() { area_served_.fetch_add(1, std::memory_order_release); }

  // What this member wrote on its board, for members that see a mirror of it; to one of them or to
  // all. Before the word by which they learn of it, or with it.
  void tell_far(std::optional<std::uint32_t> member, Bytes written,
                const std::atomic<std::uint64_t>* word) const {
    if (team_.far.empty()) [[likely]]
      return;
    if (!member) return team_.tell_far(written, word);
    if (!team_.reaches(*member)) team_.tell_far(*member, written, word);
  }

  // To be called after a word was written for which a member may sleep. One out of reach is woken
  // by what it is told.
  void wake(std::uint32_t member) const {
    if (!team_.far.empty() && !team_.reaches(member)) return;
    memory().data_bell(team_.process(member)).ring_if_asleep();
  }
  void wake_others() const {
    for (std::uint32_t member = 0; member < size(); ++member)
      if (member != rank()) wake(member);
  }

  SplitBarrier& split_barrier() { return *split_barrier_; }

 private:
  const NodeMemory& memory() const { return team_.door->engine().memory(); }
  CollectiveLayout::Control& control(std::uint32_t member) const {
    return CollectiveLayout::control(*team_.boards[member]);
  }
  Turn look_at_finished();

  Team& team_;
  // Owner: the thread that starts a collective.
  Turn turns_ = 0;
  std::uint64_t area_tickets_ = 0;

  std::atomic<Turn> all_finished_{0};  // when last looked
  std::atomic<std::uint64_t> area_served_{0};
  std::unique_ptr<SplitBarrier> split_barrier_;

  std::mutex mutex_;  // guards what follows, where there are threads
  Turn finished_ = 0;
  std::uint64_t finished_later_ = 0;  // bit i: turn finished_ + 1 + i
};

// One collective, as this member takes part in it. A value.
class Round {
 public:
  Round(Team& team, CallName call)
      : team_(&TeamCollectives::of(team, call)), turn_(team_->take_turn()) {}

  TeamCollectives& team() const { return *team_; }
  std::uint32_t size() const { return team_->size(); }
  std::uint32_t rank() const { return team_->rank(); }
  CollectiveSlot& slot(std::uint32_t member) const { return team_->slot(member, turn_); }
  std::byte* payload(std::uint32_t member) const { return team_->payload(member, turn_); }

  bool may_begin() const { return team_->may_begin(turn_); }
  void finish() const { team_->finish(turn_); }

  // What this member wrote in its payload or area is on its way to those out of reach, before the
  // count that it shows next; only to `member`, if the round is about that one alone.
  void lay(Bytes written, std::optional<std::uint32_t> member = {}) const {
    team_->tell_far(member, written, nullptr);
  }
  // What this member wrote before, and has laid, is visible to who sees the count.
  void show(std::uint64_t count, std::optional<std::uint32_t> member = {}) {
    CollectiveSlot& own = slot(rank());
    own.shown.store(Mark::of(turn_, count), std::memory_order_release);  // with shown()
    team_->tell_far(member, own.beside_marks(), &own.shown);
  }
  std::uint64_t shown(std::uint32_t member) const {
    return Mark::count(slot(member).shown.load(std::memory_order_acquire), turn_);
  }
  void take(std::uint64_t count) {
    CollectiveSlot& own = slot(rank());
    own.taken.store(Mark::of(turn_, count), std::memory_order_release);  // with taken()
    team_->tell_far({}, {}, &own.taken);
  }
  std::uint64_t taken(std::uint32_t member) const {
    return Mark::count(slot(member).taken.load(std::memory_order_acquire), turn_);
  }

  // Whether all members show `count`. Remembers how far the last look came, so that who waits polls
  // one word and not all of them. For one count at a time, until it is there.
  bool all_show(std::uint64_t count) {
    while (from_ < size() && shown(from_) >= count) ++from_;
    if (from_ < size()) return false;
    from_ = 0;
    return true;
  }

  // The same for a count that everybody waits for: who sees it complete wakes the others.
  bool everybody_shows(std::uint64_t count) {
    if (!all_show(count)) return false;
    team_->wake_others();
    return true;
  }

  // Between show() and another look, for who may then go away: of two members that come last at
  // once, at least one sees the other, and wakes those who sleep. Who waits looks again anyway.
  static void settle() { std::atomic_thread_fence(std::memory_order_seq_cst); }

 private:
  TeamCollectives* team_;
  Turn turn_;
  std::uint32_t from_ = 0;
};

}  // namespace gondwana::gasnet
