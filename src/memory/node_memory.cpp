#include "memory/node_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/access_checkers.hpp"

namespace gondwana {
namespace {

// A core dump would touch every page, even pages that were never used. So arenas stay out of core
// dumps; SymmetricMemory::dump_blocks() adds the requested parts.
void keep_out_of_dumps(std::byte* start, std::size_t length) {
  ::madvise(start, length, MADV_DONTDUMP);
}

// Our children must not write to a peer's memory.
void keep_to_ourselves(std::byte* start, std::size_t length) {
  ::madvise(start, length, MADV_DONTFORK);
}

// When memcheck searches for leaks it reads all readable memory, and so would allocate every page
// of every arena. The arenas of peers hold no pointers of this process: they are hidden. For its
// own arena memcheck learns which parts are in use.
Mapping::Sight sight_of(bool is_peer) {
  return is_peer && runs_under_valgrind() ? Mapping::Sight::hidden : Mapping::Sight::open;
}

void forbid_unused(std::byte* arena, const NodePlan& plan) {
  if (runs_under_valgrind())
    forbid_access(arena + NodePlan::globals_offset, plan.inbox_offset() - NodePlan::globals_offset);
}

// A process rank prefers an address near `preferred_base`, so that its own arena begins at a
// multiple of arena_alignment. Thread ranks share one view: create() has chosen a stride that
// aligns all of their arenas. An agent needs no such alignment.
Result<Mapping> reserve_arenas(const NodePlan& plan, std::optional<Rank> self) {
  if (!self) {
    const bool all_aligned = plan.stride % arena_alignment == 0;
    return Mapping::reserve(nullptr, plan.range_size(), all_aligned ? arena_alignment : huge_page);
  }
  const std::size_t own = plan.node_ranks().slot_of(*self) * plan.stride;
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
  std::shared_ptr<NodeMemory> memory(
      new NodeMemory(plan, self, *std::move(pages), *std::move(range)));
  if (const Result<void> done = memory->attach_arenas(next_arena); !done) return done.error();
  std::uint32_t next = plan.arena_files();
  if (plan.huge > 0) {
    const Result<UniqueFd> huge = next_arena(next++);
    if (!huge) return huge.error();
    if (const Result<void> laid = memory->map_huge_pages(*huge); !laid) return laid.error();
  }
  if (plan.nodes > 1) {
    Result<UniqueFd> bell = next_arena(next);
    if (!bell) return bell.error();
    memory->agent_bell_ = *std::move(bell);
  }
  if (self) forbid_unused(memory->window(*self), plan);
  memory->forbid_teams();
  return memory;
}

// Otherwise memcheck would read all of it and allocate a page for each possible team.
void NodeMemory::forbid_teams() const {
  if (!runs_under_valgrind()) return;
  std::byte* control = control_.data();
  gondwana::forbid_access(control + layout_.scratch(0, 0), layout_.size() - layout_.scratch(0, 0));
  if (!self_) return;
  constexpr std::size_t begin = system_area::call_notes.offset;
  gondwana::forbid_access(window(*self_) + begin, NodePlan::system_size - begin);
}

void NodeMemory::allow_team(std::uint32_t team) const {
  if (!runs_under_valgrind()) return;
  const auto allow = [](std::byte* start, std::size_t begin, std::size_t end) {
    gondwana::allow_access(start + begin, end - begin);
  };
  std::byte* control = control_.data();
  allow(control, layout_.scratch(team, 0), layout_.scratch(team + 1, 0));
  allow(control, layout_.line(team, 0), layout_.line(team + 1, 0));
  allow(control, layout_.shrink(team, 0), layout_.shrink(team + 1, 0));
  for (std::uint32_t slot = 0; slot < roster_.slots(); ++slot)
    allow(control, layout_.shown_team(slot, team), layout_.shown_team(slot, team + 1));
  if (!self_) return;
  for (const Area& area : {system_area::call_notes, system_area::team_flags})
    allow(window(*self_), area.at(team), area.at(team + 1));
}

// Called if this process is one rank.
void NodeMemory::advise(Rank rank, std::size_t offset, std::size_t size) const {
  if (!self_) return;
  keep_out_of_dumps(window(rank) + offset, size);
  if (is_peer(rank)) keep_to_ourselves(window(rank) + offset, size);
}

template <typename Tell>
void NodeMemory::tell_checkers(Rank rank, std::size_t offset, const Tell& tell) const {
  if (!has_address_sanitizer() && !runs_under_valgrind()) return;
  if (!self_) return tell(window(rank) + offset);
  for (std::uint32_t slot = 0; slot < roster_.slots(); ++slot)
    tell(window(roster_.rank_in(slot)) + offset);
}

void NodeMemory::allow_access(Rank rank, std::size_t offset, std::size_t size) const {
  tell_checkers(rank, offset, [size](std::byte* start) { gondwana::allow_access(start, size); });
}

void NodeMemory::forbid_access(Rank rank, std::size_t offset, std::size_t size) const {
  tell_checkers(rank, offset, [size](std::byte* start) { gondwana::forbid_access(start, size); });
}

Result<void> NodeMemory::attach_arenas(const NextArena& next_arena) {
  std::uint32_t slot = 0;
  for (std::uint32_t number = 0; number < plan_.arena_files(); ++number) {
    Result<UniqueFd> file = next_arena(number);
    if (!file) return file.error();
    const std::uint32_t end = slot + plan_.arenas_in_file(number);
    const bool has_own = self_ && roster_.slot_of(*self_) >= slot && roster_.slot_of(*self_) < end;
    if (Result<void> laid = arenas_.overlay(slot * plan_.stride, *file, plan_.file_size(number), 0,
                                            sight_of(self_ && !has_own));
        !laid)
      return laid;
    if (has_own) own_file_ = *std::move(file);
    slot = end;
  }
  advise_arenas();
  return {};
}

// A few calls for all arenas, because each call splits or visits mappings of whole files.
void NodeMemory::advise_arenas() const {
  if (!self_) return;
  keep_out_of_dumps(arenas_.data(), arenas_.size());
  const std::size_t own = roster_.slot_of(*self_) * plan_.stride;
  const std::size_t after = own + plan_.stride;
  keep_to_ourselves(arenas_.data(), own);
  keep_to_ourselves(arenas_.data() + after, arenas_.size() - after);
}

// Maps the pages over a part of each arena.
Result<void> NodeMemory::map_huge_pages(const UniqueFd& huge) {
  for (std::uint32_t slot = 0; slot < roster_.slots(); ++slot) {
    const Rank owner = roster_.rank_in(slot);
    const std::size_t offset = slot * plan_.stride + huge_offset;
    if (Result<void> laid =
            arenas_.overlay(offset, huge, plan_.huge, slot * plan_.huge, sight_of(is_peer(owner)));
        !laid)
      return laid;
    advise(owner, huge_offset, plan_.huge);
  }
  return {};
}

Result<void> NodeMemory::map_file(Rank rank, std::size_t offset, const UniqueFd& file,
                                  std::size_t from, std::size_t size) const {
  if (!arenas_.overlay(roster_.slot_of(rank) * plan_.stride + offset, file, size, from)) {
    const int why = errno;
    return Error{Errc::refused, fmt::format("cannot map {} of the file that rank {} shares: {}",
                                            format_size(size), index(rank), std::strerror(why))};
  }
  advise(rank, offset, size);
  return {};
}

void NodeMemory::map_none(Rank rank, std::size_t offset, std::size_t size) const {
  arenas_.uncover(roster_.slot_of(rank) * plan_.stride + offset, size);
}

Result<std::shared_ptr<NodeMemory>> NodeMemory::create(const NodeShare& share) {
  Result<NodePlan> plan = plan_node(share);
  if (!plan) return plan.error();
  plan->stride = round_up(plan->stride, arena_alignment);
  const Result<UniqueFd> control = create_memfd("gondwana-control", ControlLayout(*plan).size());
  if (!control) return control.error();
  return attach(*plan, *control, std::nullopt, [&](std::uint32_t number) {
    return number < plan->arena_files() ? create_arena_file(*plan, number) : create_agent_bell();
  });
}

}  // namespace gondwana
