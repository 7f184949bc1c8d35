// Updates of the world, after which all ranks have equal heaps.
#include <algorithm>
#include <map>
#include <vector>

#include "engine/engine.hpp"

namespace gondwana {

std::uint32_t Engine::end_of_reach() const {
  return std::min(ranks_, index(memory_->roster().here().back()) + 1);
}

Result<Team*> Engine::update_world(CallName call, Growing growing, bool wants_team) {
  Result<Collectives::World> world = collectives_.agree_on_world(call, growing);
  if (!world) return world.error();
  ranks_ = world->size;
  rma_.cover(ranks_, end_of_reach());
  default_lane_.cover(end_of_reach());
  Team& team = collectives_.begin_world_of(*world, call);
  try {
    // On several nodes this team has memory that no other has had for a while.
    const bool is_here = memory_->roster().nodes() == 1;
    if (is_here) collectives_.sync_new_world(call);  // all have cleared their flags
    copy_heap(is_here ? teams_.world() : team, call);
    has_whole_world_ = true;
    settle_waiting();
    const auto wishes = collectives_.exchange(teams_.world(), call, wants_team ? 1 : 0);
    if (std::ranges::find(wishes, 1U) != wishes.end()) return &team;
    collectives_.destroy(team, call);
    return nullptr;
  } catch (const HopelessWait&) {
    collectives_.destroy(team, call);  // the program does not get it
    throw;
  }
}

// Members with a whole world have equal heaps. The first of them tells the others its blocks.
void Engine::copy_heap(Team& team, CallName call) {
  const std::vector<std::uint64_t> wholes =
      collectives_.exchange(team, call, has_whole_world_ ? 1 : 0);
  const auto first = std::ranges::find(wholes, 1U);
  if (first == wholes.end()) return;  // no member has allocated anything
  const auto source = static_cast<std::uint32_t>(first - wholes.begin());
  const auto blocks =
      team.me == source ? symmetric_.blocks() : std::map<std::size_t, std::size_t>();
  const auto from_source = [&](std::uint64_t mine) {
    return collectives_.exchange(team, call, mine)[source];
  };
  std::map<std::size_t, HeapBlock> all;
  const std::uint64_t count = from_source(blocks.size());
  auto next = blocks.begin();
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool tells = next != blocks.end();
    const std::uint64_t offset = from_source(tells ? next->first : 0);
    const std::uint64_t asked = from_source(tells ? next->second : 0);
    const std::uint64_t taken =
        from_source(tells ? symmetric_.size_of(symmetric_.heap().data() + offset) : 0);
    if (tells) ++next;
    all[offset] = {.taken = taken, .asked = asked};
  }
  if (!has_whole_world_) take_blocks(all);
}

// Blocks that this rank has already keep their contents.
void Engine::take_blocks(const std::map<std::size_t, HeapBlock>& blocks) {
  for (const auto& [offset, asked] : symmetric_.blocks()) {
    std::byte* const mine = symmetric_.heap().data() + offset;
    const auto there = blocks.find(offset);
    if (there == blocks.end() || there->second.taken != symmetric_.size_of(mine))
      symmetric_.release(mine);
  }
  for (const auto& [offset, block] : blocks) symmetric_.adopt(offset, block.taken, block.asked);
}

}  // namespace gondwana
