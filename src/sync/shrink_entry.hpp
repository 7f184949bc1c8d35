// How a member of a team on several nodes enters a shrink: a message to the launcher of the job,
// which decides for all of them (run/remote/agreements.hpp).
#pragma once

#include <cstdint>

namespace gondwana {

struct ShrinkEntry {
  std::uint32_t team = 0;   // its number
  std::uint32_t first = 0;  // the rank of member 0: teams with one number have different ones
  std::uint64_t turn = 0;   // as in TeamShrink
  std::uint32_t size = 0;   // members
  std::uint32_t rank = 0;   // that enters
  // The deaths that it knows of, and how many members are among these dead. It enters again after
  // each further death.
  std::uint32_t deaths = 0;
  std::uint32_t dead = 0;
  std::uint64_t numbers = 0;  // its offer, as in TeamShrink
  std::uint64_t epoch = 0;
};

// What all members that live get.
struct ShrinkDecision {
  std::uint32_t team = 0;
  std::uint32_t first = 0;
  std::uint64_t turn = 0;
  std::uint32_t deaths = 0;  // the members are those that are not among the first dead
  std::uint64_t numbers = 0;
  std::uint64_t epoch = 0;
};

}  // namespace gondwana
