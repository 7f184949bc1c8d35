// The members of a collective built from gets and flags: a team, or an active set.
//
// Each member has an array of flags at the same offset of its arena. For a team it is in the system
// area, for an active set in the user's pSync array. A flag is a counting semaphore: raising it
// adds one at a member, taking it waits for one and subtracts it. All flags are zero before and
// after an operation, so the caller finds its array unchanged.
//
// A flag must never be mistaken for a flag of another member or of a later operation, since members
// leave an operation at different times. Therefore:
//  - Each flag of a barrier is raised by one member only. A flag that it raises too early counts
//    for the next barrier.
//  - Operations that move data end with a barrier. When the first member leaves, all other flags
//    have been taken and all data has been read.
//  - `released` is raised only at members heard from in the same operation, so they have begun it.
//
// The member that needs data fetches it into its own memory. So the next operation cannot overwrite
// a result that a member still uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/collectives/common/resources.hpp"
#include "memory/layout.hpp"

namespace gondwana {

enum class Flag : std::uint32_t {};

class Group {
 public:
  static constexpr std::uint32_t max_rounds = 20;  // of an operation with doubling distances
  static constexpr std::uint32_t max_size = 1U << max_rounds;
  static constexpr std::size_t flags = 64;
  static constexpr std::size_t flags_size = flags * sizeof(std::uint64_t);

  // Raised by a member with data to fetch, and by a member that has fetched it.
  static constexpr Flag ready(std::uint32_t round = 0) { return Flag(max_rounds + round); }
  static constexpr Flag fetched(std::uint32_t round) { return Flag(2 * max_rounds + round); }
  // `arrived` is raised at one member by all others, `released` by that member at the others.
  static constexpr Flag arrived = Flag(3 * max_rounds);
  static constexpr Flag released = Flag(3 * max_rounds + 1);
  // Numbers, not flags, which all members may read.
  static constexpr std::uint32_t notes = 2;

  // `flags_offset`: the offset of the flags in every member's arena. Only the ranks of `members`
  // are used. Tools that ask what this rank waits for see its number.
  Group(const CollectiveResources& with, const Team& members, std::size_t flags_offset,
        CallName call);

  // The members of a team. `how`: its barrier in two levels, or null for a barrier by flags.
  using TeamBarrier = void (*)(Team& team, CallName call);
  Group(const CollectiveResources& with, Team& team, TeamBarrier how, CallName call);

  // Waits until the flags that this rank raised are on their way, because it may make no calls for
  // long.
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

  // Earlier stores and completed puts of this rank are visible to the member that takes the flag.
  void raise(std::uint32_t member, Flag flag);
  void take(Flag flag, std::uint32_t from);
  // Takes one from every other member.
  void take_from_others(Flag flag);
  void raise_on_others(Flag flag);

  // Returns when all members have called it.
  void barrier();

  // Whether all members have the array. Checked before any member is told to fetch. If not, the
  // lane holds the error and the operation does not begin.
  bool is_symmetric(const char* what, const void* array, std::size_t size);

  // Copies to `dest` from a member's `source`. Does nothing for 0 bytes.
  void get(std::uint32_t member, void* dest, const void* source, std::size_t size);
  void get_strided(std::uint32_t member, void* dest, const void* source, const Exchange& shape);

  // Between two barriers, members may read a note after it is written. It must be zero at the end.
  void write_note(std::uint32_t note, std::uint64_t value);
  std::uint64_t note_of(std::uint32_t member, std::uint32_t note);

  // False after a failure; the default lane holds the error. Operations still run to their end,
  // because the other members would wait forever.
  bool well() const { return well_; }

 private:
  static constexpr Flag barrier_round(std::uint32_t round) { return Flag(round); }

  std::size_t offset_of(Flag flag) const {
    return flags_offset_ + static_cast<std::size_t>(flag) * sizeof(std::uint64_t);
  }
  std::atomic_ref<std::uint64_t> mine(Flag flag) const;
  void take(Flag flag, std::uint32_t times, std::uint32_t peer);
  void refuse_dead() const;

  const CollectiveResources& with_;
  Team members_;
  Team* team_ = nullptr;
  TeamBarrier barrier_ = nullptr;
  std::size_t flags_offset_;
  CallName call_;
  bool well_ = true;
};

static_assert(static_cast<std::size_t>(Group::released) < Group::flags - Group::notes);

// The number of rounds to reach all of `size` members with distances 1, 2, 4, ...
std::uint32_t rounds_for(std::uint32_t size);

}  // namespace gondwana
