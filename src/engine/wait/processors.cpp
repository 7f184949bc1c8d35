#include "engine/wait/processors.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>

#include "core/machine.hpp"

namespace gondwana {
namespace {

// With autogroups the kernel schedules sessions first, and a yield stays within its session.
bool sessions_are_scheduled_apart() {
  std::ifstream file("/proc/sys/kernel/sched_autogroup_enabled");
  int enabled = 0;
  return file >> enabled && enabled != 0;
}

}  // namespace

void publish_place(ControlPage& page) {
  const ProcessorMask mask = own_processors();
  for (std::size_t i = 0; i < mask.size(); ++i)
    page.processors[i].store(mask[i], std::memory_order_relaxed);
  page.session.store(static_cast<std::uint32_t>(::getsid(0)), std::memory_order_relaxed);
}

Processors find_processors(const NodeMemory& memory) {
  const NodeRanks here = memory.roster().here();
  const ControlPage& first = memory.page(here.front());
  ProcessorMask all{};
  bool one_session = true;
  for (const Rank rank : here) {
    const ControlPage& page = memory.page(rank);
    if (page.state.load(std::memory_order_relaxed) == RankState::absent) continue;  // joins later
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] |= page.processors[i].load(std::memory_order_relaxed);
    one_session = one_session && page.session.load(std::memory_order_relaxed) ==
                                     first.session.load(std::memory_order_relaxed);
  }
  int processors = 0;
  for (const std::uint64_t word : all) processors += std::popcount(word);
  const double usable = std::min(static_cast<double>(processors), processor_quota());
  return {.is_oversubscribed = here.size() > usable,
          .yields_help = one_session || !sessions_are_scheduled_apart(),
          .ranks_each = static_cast<std::uint32_t>(std::ceil(here.size() / std::max(usable, 1.0)))};
}

std::uint32_t share_of_processors(const NodeMemory& memory, Rank rank) {
  const NodeRanks here = memory.roster().here();
  const auto may_run = [](const ControlPage& page, std::size_t processor) {
    return (page.processors[processor / 64].load(std::memory_order_relaxed) >> processor % 64 &
            1U) != 0;
  };
  double share = 0;
  for (std::size_t processor = 0; processor < ProcessorMask{}.size() * 64; ++processor) {
    if (!may_run(memory.page(rank), processor)) continue;
    int ranks = 0;
    for (const Rank other : here) ranks += may_run(memory.page(other), processor) ? 1 : 0;
    share += 1.0 / ranks;
  }
  share = std::min(share, processor_quota() / here.size());
  constexpr double rounding = 1e-6;  // the rounding error of the sum of fractions
  return std::max(1U, static_cast<std::uint32_t>(share + rounding));
}

}  // namespace gondwana
