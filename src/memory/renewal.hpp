// What the guardian resets in the memory of a dead rank before another process takes its place. All
// mappings stay valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/layout.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

struct ArenaRange {
  std::size_t begin;
  std::size_t end;

  bool operator==(const ArenaRange&) const = default;
};

// The parts of the arena to be emptied, in whole pages. The facts of the rank, the list of its
// blocks and, if its memory is kept, its variables, heaps and segments stay.
std::vector<ArenaRange> ranges_to_empty(const NodePlan& plan, Replacement replacement);

// Makes these that of a rank that has not joined. Counters, and the numbers that a later process
// must not use again, go on. `touched`: the arena may have been written below this offset.
void renew(ControlPage& page, ThreadSlots& threads, std::size_t touched);

// The epochs of the process that comes begin above all that the dead one has reached. `changes`:
// the number of deaths and starts so far.
void begin_new_epochs(ControlPage& page, std::uint32_t changes);

}  // namespace gondwana
