// The members of a team whose collectives work on arrays in any memory. A member publishes its data
// in its scratch, and the others fetch it.
//
// Members are any ranks, in any order; a rank may be a member twice. The scratch of a member on
// another node has a replica in this rank's arena: a member sends its writes to all replicas, so
// reads are the same everywhere. This suits a few nodes.
//
// One thread at a time starts collectives of a team, but any thread may advance them.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/collectives/common/resources.hpp"
#include "engine/collectives/common/team_scratch.hpp"

namespace gondwana {

class StagedTeam {
 public:
  static constexpr std::uint64_t nowhere = TeamScratch::nowhere;

  // The offset of memory of this process in its arena, if all members map it, or else `nowhere`.
  using OffsetOf = std::function<std::uint64_t(Bytes)>;

  struct Setup {
    std::vector<Rank> ranks;
    std::uint32_t me = 0;
    std::vector<StagedPlace> places;
    MutableBytes replicas;  // of this member
    OffsetOf offset_of;     // for memory that is not symmetric; may be empty
  };

  StagedTeam(const CollectiveResources& with, Setup setup);
  StagedTeam(const StagedTeam&) = delete;
  StagedTeam& operator=(const StagedTeam&) = delete;

  const CollectiveResources& with() const { return with_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  std::uint32_t me() const { return me_; }
  Rank rank_of(std::uint32_t member) const { return ranks_[member]; }
  TeamScratch& scratch(std::uint32_t member) const { return *scratch_[member]; }
  TeamScratch& own() const { return *scratch_[me_]; }
  bool reaches(std::uint32_t member) const { return with_.reaches(ranks_[member]); }
  bool reaches_all() const { return remote_.empty(); }
  // Whether all members are on separate nodes.
  bool is_scattered() const { return size() > 1 && remote_.size() + 1 == size(); }

  Turn take_turn() { return ++turns_; }
  // Whether every member has finished the turn `depth` before this one, which used the same slot.
  bool may_begin(Turn turn, Turn depth) {
    // Pairs with look_at_finished(): the others have finished reading the slot.
    return turn <= all_finished_.load(std::memory_order_acquire) + depth ||
           turn <= look_at_finished() + depth;
  }
  // Marks the turn as finished: this member neither reads nor writes for it any more.
  void finish(Turn turn);
  // The next epoch for the line of this member.
  Epoch next_epoch() { return ++epoch_; }

  CollectiveSlot& slot(std::uint32_t member, Turn turn) const {
    return scratch(member).slots[TeamScratch::slot(member, turn)];
  }
  std::byte* payload(std::uint32_t member, Turn turn) const {
    return scratch(member).payloads[TeamScratch::slot(member, turn)].data();
  }
  std::byte* pushed(std::uint32_t member, Turn turn) const {
    return scratch(member).pushed[turn % TeamScratch::pushed_depth].data();
  }
  std::byte* area(std::uint32_t member) const { return scratch(member).area.data(); }

  // The offset of a range of this process's memory in its arena, or `nowhere`.
  std::uint64_t offset_of(const void* address, std::size_t size) const;
  std::uint64_t offset_in_arena(const std::byte* address) const {
    return static_cast<std::uint64_t>(address - with_.memory.window(with_.me));
  }
  std::uint64_t area_offset(std::uint32_t member) const {
    return places_[member].scratch + offsetof(TeamScratch, area);
  }
  const std::byte* at(std::uint32_t member, std::uint64_t offset) const {
    return with_.memory.window(ranks_[member]) + offset;
  }

  // One collective at a time uses the area, in the order of their turns.
  std::uint64_t queue_for_area() { return area_tickets_++; }
  bool has_area(std::uint64_t ticket) const {
    return area_served_.load(std::memory_order_acquire) == ticket;  // pairs with release_area()
  }
  // Called when no member reads the area any more.
  void release_area() { area_served_.fetch_add(1, std::memory_order_release); }

  // Bytes to send to `place` in the replicas of this member's scratch.
  struct Written {
    const void* place = nullptr;
    Bytes bytes = {};
  };
  static Written in_place(Bytes bytes) { return {bytes.data(), bytes}; }

  // Sends what written_for(member) returns, and then `word` unless it is null, to the replicas at
  // one member or at all. Does not wait.
  template <typename WrittenFor>
  void tell_remote(std::optional<std::uint32_t> member, const WrittenFor& written_for,
                   const std::atomic<std::uint64_t>* word) const {
    if (remote_.empty()) [[likely]]
      return;
    if (member) {
      if (!reaches(*member)) send(*member, written_for(*member), word);
      return;
    }
    for (const std::uint32_t each : remote_) send(each, written_for(each), word);
  }

  void tell_word(std::optional<std::uint32_t> member,
                 const std::atomic<std::uint64_t>* word) const {
    tell_remote(member, [](std::uint32_t) { return Written(); }, word);
  }

  // Called after a write to a word on which a member may sleep. The update itself wakes a remote
  // member.
  void wake(std::uint32_t member) const {
    if (!remote_.empty() && !reaches(member)) return;
    with_.memory.data_bell(ranks_[member]).ring_if_asleep();
  }
  void wake_others() const {
    for (std::uint32_t member = 0; member < size(); ++member)
      if (member != me_) wake(member);
  }

 private:
  Turn look_at_finished();
  void send(std::uint32_t member, const Written& written,
            const std::atomic<std::uint64_t>* word) const;

  const CollectiveResources& with_;
  std::vector<Rank> ranks_;
  std::uint32_t me_;
  OffsetOf offset_of_;
  std::vector<TeamScratch*> scratch_;  // by member: its own, or a replica
  std::vector<std::uint32_t> remote_;  // the members whose scratch is a replica
  std::vector<StagedPlace> places_;    // by member
  // Owned by the thread that starts a collective.
  Epoch epoch_ = 0;
  Turn turns_ = 0;
  std::uint64_t area_tickets_ = 0;

  std::atomic<Turn> all_finished_{0};  // as last read
  std::atomic<std::uint64_t> area_served_{0};

  std::mutex mutex_;  // guards the members below if the rank has several threads
  Turn finished_ = 0;
  std::uint64_t finished_later_ = 0;  // bit i: turn finished_ + 1 + i
};

}  // namespace gondwana
