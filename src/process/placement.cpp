#include "process/placement.hpp"

#include <sched.h>

#include <algorithm>

namespace gondwana {
namespace {

bool all_have_the_same_processors(const NodeMemory& memory) {
  const NodeRanks here = memory.roster().here();
  const ControlPage& first = memory.page(here.front());
  return std::ranges::all_of(here, [&](Rank rank) {
    const ControlPage& page = memory.page(rank);
    return std::ranges::equal(page.processors, first.processors, [](auto& a, auto& b) {
      return a.load(std::memory_order_relaxed) == b.load(std::memory_order_relaxed);
    });
  });
}

int processor_of(const cpu_set_t& allowed, std::uint32_t number) {
  int processor = 0;
  for (std::uint32_t before = 0;; ++processor)
    if (CPU_ISSET(processor, &allowed) && before++ == number) return processor;
}

}  // namespace

void start_apart(const NodeMemory& memory, Rank me) {
  const NodeRanks here = memory.roster().here();
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  const auto processors = static_cast<std::uint32_t>(CPU_COUNT(&allowed));
  if (here.size() < 2 || here.size() > processors || !all_have_the_same_processors(memory)) return;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(processor_of(allowed, here.slot_of(me) * processors / here.size()), &own);
  if (::sched_setaffinity(0, sizeof(own), &own) == 0)
    ::sched_setaffinity(0, sizeof(allowed), &allowed);
}

}  // namespace gondwana
