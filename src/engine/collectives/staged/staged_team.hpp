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
#include <optional>
#include <vector>

#include "engine/collectives/common/resources.hpp"
#include "engine/collectives/common/team_scratch.hpp"
#include "engine/collectives/staged/team_turns.hpp"

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

  Turn take_turn() { return turns_.take(); }
  bool may_begin(Turn turn, Turn depth) { return turns_.may_begin(turn, depth, scratch_); }
  void finish(Turn turn);
  // The next epoch for the line of this member.
  Epoch next_epoch() { return ++epoch_; }

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

  AreaQueue& area_queue() { return area_queue_; }

  // Bytes to send to `place` in the replicas of this member's scratch.
  struct Written {
    const void* place = nullptr;
    Bytes bytes = {};

    static Written in_place(Bytes bytes) { return {bytes.data(), bytes}; }
  };

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
  void send(std::uint32_t member, const Written& written,
            const std::atomic<std::uint64_t>* word) const;

  const CollectiveResources& with_;
  std::vector<Rank> ranks_;
  std::uint32_t me_;
  OffsetOf offset_of_;
  std::vector<TeamScratch*> scratch_;  // by member: its own, or a replica
  std::vector<std::uint32_t> remote_;  // the members whose scratch is a replica
  std::vector<StagedPlace> places_;    // by member
  Epoch epoch_ = 0;                    // owner: the thread that starts a collective
  TeamTurns turns_;
  AreaQueue area_queue_;
};

inline void tell_word(const StagedTeam& team, std::optional<std::uint32_t> member,
                      const std::atomic<std::uint64_t>* word) {
  team.tell_remote(member, [](std::uint32_t) { return StagedTeam::Written(); }, word);
}

}  // namespace gondwana
