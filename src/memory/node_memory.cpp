#include "memory/node_memory.hpp"

#include <sys/mman.h>

namespace gondwana {
namespace {

// A core dump would touch every page of it, also what nobody ever touched. So arenas stay out of
// core dumps; SymmetricMemory::dump_blocks() brings back what the program asked for.
void keep_out_of_dumps(std::byte* start, std::size_t length) {
  ::madvise(start, length, MADV_DONTDUMP);
}

// A peer's memory is not for our children to write.
void keep_to_ourselves(std::byte* start, std::size_t length) {
  ::madvise(start, length, MADV_DONTFORK);
}

// A rank that is a process prefers an address near `preferred_base`, where its own arena begins at
// a multiple of arena_alignment. Ranks that are threads share one view: create() has chosen a
// stride that aligns all of their arenas. An agent needs no such alignment.
Result<Mapping> reserve_arenas(const NodePlan& plan, std::optional<Rank> self) {
  if (!self) {
    const bool all_aligned = plan.stride % arena_alignment == 0;
    return Mapping::reserve(nullptr, plan.range_size(), all_aligned ? arena_alignment : huge_page);
  }
  const std::size_t own = plan.local(*self) * plan.stride;
  const std::uintptr_t wanted = preferred_base + round_up(own, arena_alignment) - own;
  return Mapping::reserve(reinterpret_cast<std::byte*>(wanted), plan.range_size(), arena_alignment,
                          own);
}

}  // namespace

Result<std::shared_ptr<NodeMemory>> NodeMemory::attach(const NodePlan& plan,
                                                       const UniqueFd& control,
                                                       std::optional<Rank> self,
                                                       const NextArena& next_arena) {
  Result<Mapping> pages = Mapping::shared(control, ControlLayout(plan).size());
  if (!pages) return pages.error();
  Result<Mapping> range = reserve_arenas(plan, self);
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
    if (self) keep_out_of_dumps(arenas_.data() + offset, plan_.arena_size());
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
    if (self) keep_out_of_dumps(arenas_.data() + offset, plan_.huge);
    if (self && self != Rank(plan_.first + rank))
      keep_to_ourselves(arenas_.data() + offset, plan_.huge);
  }
  return {};
}

Result<std::shared_ptr<NodeMemory>> NodeMemory::create(const NodeShare& share) {
  Result<NodePlan> plan = plan_node(share);
  if (!plan) return plan.error();
  plan->stride = round_up(plan->stride, arena_alignment);
  const Result<UniqueFd> control = create_memfd("gondwana-control", ControlLayout(share).size());
  if (!control) return control.error();
  return attach(*plan, *control, std::nullopt, [&](std::uint32_t number) {
    return number < plan->ranks ? create_memfd("gondwana-arena", plan->arena_size())
                                : create_agent_bell();
  });
}

}  // namespace gondwana
