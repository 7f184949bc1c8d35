#include "memory/node_memory.hpp"

#include <sys/mman.h>

namespace gondwana {
namespace {

// A peer's memory is neither ours to dump nor for our children to write.
void keep_to_ourselves(std::byte* start, std::size_t length) {
  ::madvise(start, length, MADV_DONTFORK);
  ::madvise(start, length, MADV_DONTDUMP);
}

}  // namespace

Result<std::shared_ptr<NodeMemory>> NodeMemory::attach(const NodePlan& plan,
                                                       const UniqueFd& control,
                                                       std::optional<Rank> self,
                                                       const NextArena& next_arena) {
  Result<Mapping> pages = Mapping::shared(control, ControlLayout(plan).size());
  if (!pages) return pages.error();
  // Ranks that are processes like to see their memory at one address; threads share it anyway.
  auto* wanted = reinterpret_cast<std::byte*>(preferred_base);
  Result<Mapping> range = Mapping::reserve(self ? wanted : nullptr, plan.range_size(), huge_page);
  if (!range) return range.error();
  std::shared_ptr<NodeMemory> memory(new NodeMemory(plan, *std::move(pages), *std::move(range)));
  if (const Result<void> done = memory->attach_arenas(self, next_arena); !done) return done.error();
  std::uint32_t next = plan.ranks;
  if (plan.huge > 0) {
    const Result<UniqueFd> huge = next_arena(next++);
    if (!huge) return huge.error();
    if (const Result<void> laid = memory->lay_huge_pages(*huge, self); !laid) return laid.error();
  }
  if (plan.nodes > 1) {
    Result<UniqueFd> bell = next_arena(next);
    if (!bell) return bell.error();
    memory->agent_bell_ = *std::move(bell);
  }
  return memory;
}

Result<void> NodeMemory::attach_arenas(std::optional<Rank> self, const NextArena& next_arena) {
  for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank) {
    Result<UniqueFd> arena = next_arena(rank);
    if (!arena) return arena.error();
    const std::size_t offset = rank * plan_.stride;
    if (Result<void> laid = arenas_.overlay(offset, *arena, plan_.arena_size()); !laid) return laid;
    if (self == Rank(plan_.first + rank))
      own_arena_ = *std::move(arena);
    else if (self)
      keep_to_ourselves(arenas_.data() + offset, plan_.arena_size());
  }
  return {};
}

// Over a part of each arena.
Result<void> NodeMemory::lay_huge_pages(const UniqueFd& huge, std::optional<Rank> self) {
  for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank) {
    const std::size_t offset = rank * plan_.stride + huge_offset;
    if (Result<void> laid = arenas_.overlay(offset, huge, plan_.huge, rank * plan_.huge); !laid)
      return laid;
    if (self && self != Rank(plan_.first + rank))
      keep_to_ourselves(arenas_.data() + offset, plan_.huge);
  }
  return {};
}

Result<std::shared_ptr<NodeMemory>> NodeMemory::create(const NodeShare& share) {
  const Result<NodePlan> plan = plan_node(share);
  if (!plan) return plan.error();
  const Result<UniqueFd> control = create_memfd("gondwana-control", ControlLayout(share).size());
  if (!control) return control.error();
  return attach(*plan, *control, std::nullopt, [&](std::uint32_t number) {
    return number < plan->ranks ? create_memfd("gondwana-arena", plan->arena_size())
                                : create_agent_bell();
  });
}

}  // namespace gondwana
