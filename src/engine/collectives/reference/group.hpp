// The members of a collective that is made of gets and flags: a team, or an active set.
//
// Each member has an array of flags at the same place of its arena: in the system part for a team,
// in the user's pSync array for an active set. A flag is a counting semaphore: raising it adds one
// at a member, taking it waits for one and takes it off. All are zero before and after, so whoever
// gave the array finds it as it was.
//
// Who raises must never be mistaken for somebody else, nor for an operation that comes later, since
// members leave an operation at different times. So
//  - the flags of a barrier have one member each that ever raises them: what it raises too early
//    counts for the next time;
//  - operations that move data end with a barrier: when the first member leaves, all flags but
//    those of the barrier have been taken, and all that is to be read has been read;
//  - `released` is raised only at members that were heard of in the same operation, which has
//    therefore begun for them.
//
// Data is always fetched by who needs it, into its own memory: a member that is still busy with the
// result of one operation is not overrun by the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/collectives/common/resources.hpp"
#include "memory/layout.hpp"

namespace gondwana {

enum class Flag : std::uint32_t {};

class Group {
 public:
  static constexpr std::uint32_t max_rounds = 20;  // of an operation that doubles its distances
  static constexpr std::uint32_t max_size = 1U << max_rounds;
  static constexpr std::size_t flags = 64;
  static constexpr std::size_t flags_size = flags * sizeof(std::uint64_t);

  // Raised by who has something for others to fetch, and by who has fetched it.
  static constexpr Flag ready(std::uint32_t round = 0) { return Flag(max_rounds + round); }
  static constexpr Flag fetched(std::uint32_t round) { return Flag(2 * max_rounds + round); }
  // Raised at one member by all others, and by the one at those.
  static constexpr Flag arrived = Flag(3 * max_rounds);
  static constexpr Flag released = Flag(3 * max_rounds + 1);
  // Not flags but numbers that all may read.
  static constexpr std::uint32_t notes = 2;

  // `flags_offset`: where the flags lie in every member's arena. Of `members`, only who they are
  // matters; the number is told to whoever asks what this rank waits for.
  Group(const CollectiveResources& with, const Team& members, std::size_t flags_offset,
        CallName call);

  // The members of a team. `how`: another way for its barriers, in two levels; null: by flags.
  using TeamBarrier = void (*)(const CollectiveResources& with, Team& team, CallName call);
  Group(const CollectiveResources& with, Team& team, TeamBarrier how, CallName call);

  // Returns when what this rank told the others is on its way: it may not call for long.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  Rank rank_of(std::uint32_t member) const { return members_.rank_of(member); }
  std::uint32_t size() const { return members_.size; }
  std::uint32_t me() const { return members_.me; }
  std::uint32_t right(std::uint32_t distance = 1) const { return (me() + distance) % size(); }
  std::uint32_t left(std::uint32_t distance = 1) const {
    return (me() + size() - distance % size()) % size();
  }

  // What this rank wrote before is visible to who takes the flag, if by a store or a quiet put.
  void raise(std::uint32_t member, Flag flag);
  void take(Flag flag, std::uint32_t from);
  // One from every other member.
  void take_from_others(Flag flag);
  void raise_at_others(Flag flag);

  // Returns when all members have called it.
  void barrier();

  // Whether all members have both; to be asked before anybody is told to fetch there. If not the
  // lane has the sentence, and the operation is not begun.
  bool are_symmetric(const char* what, const void* dest, std::size_t dest_size, const void* source,
                     std::size_t source_size);

  // To `dest` from where `source` is at a member. Nothing is done for 0 bytes.
  void get(std::uint32_t member, void* dest, const void* source, std::size_t size);
  void get_strided(std::uint32_t member, void* dest, const void* source, const Exchange& shape);

  // A note may be read between two barriers after it was written. To be zero when all is done.
  void write_note(std::uint32_t note, std::uint64_t value);
  std::uint64_t note_of(std::uint32_t member, std::uint32_t note);

  // False once something failed; the default lane has the sentence. Operations go on to their end,
  // or others would wait for ever.
  bool well() const { return well_; }

 private:
  static constexpr Flag barrier_round(std::uint32_t round) { return Flag(round); }

  std::size_t offset_of(Flag flag) const {
    return flags_offset_ + static_cast<std::size_t>(flag) * sizeof(std::uint64_t);
  }
  static std::size_t index_of_note(std::uint32_t note) { return flags - notes + note; }
  std::atomic_ref<std::uint64_t> mine(Flag flag) const;
  void take(Flag flag, std::uint32_t times, std::uint32_t peer);

  const CollectiveResources& with_;
  Team members_;
  Team* team_ = nullptr;
  TeamBarrier barrier_ = nullptr;
  std::size_t flags_offset_;
  CallName call_;
  bool well_ = true;
};

static_assert(static_cast<std::size_t>(Group::released) < Group::flags - Group::notes);

// How many rounds it takes to reach all of `size` members with distances 1, 2, 4, ...
std::uint32_t rounds_for(std::uint32_t size);

}  // namespace gondwana
