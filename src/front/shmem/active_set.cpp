#include "front/shmem/active_set.hpp"

#include <limits>

namespace gondwana::shmem {
namespace {

static_assert(Group::flags <= SHMEM_BARRIER_SYNC_SIZE && Group::flags <= SHMEM_SYNC_SIZE &&
              Group::flags <= SHMEM_BCAST_SYNC_SIZE && Group::flags <= SHMEM_COLLECT_SYNC_SIZE &&
              Group::flags <= SHMEM_REDUCE_SYNC_SIZE && Group::flags <= SHMEM_ALLTOALL_SYNC_SIZE &&
              Group::flags <= SHMEM_ALLTOALLS_SYNC_SIZE);
static_assert(sizeof(long) == sizeof(std::uint64_t) && SHMEM_SYNC_VALUE == 0);

std::string describe(const ActiveSet& set) {
  return fmt::format("active set of PE_start {}, logPE_stride {}, PE_size {}", set.start,
                     set.log_stride, set.size);
}

// Returns the members, or nothing if this PE is not a member. Programs have all PEs make the call,
// and expect it to return on PEs outside the set.
std::optional<Team> members_of(const Caller& caller, const ActiveSet& set) {
  const auto ranks = std::int64_t{caller.engine.ranks()};
  constexpr int max_shift = std::numeric_limits<int>::digits - 1;
  if (set.log_stride < 0 || set.log_stride > max_shift)
    give_up(caller.name,
            fmt::format("{}: expected a logPE_stride from 0 to {}", describe(set), max_shift));
  if (set.size < 1)
    give_up(caller.name, fmt::format("{}: expected a PE_size of at least 1", describe(set)));
  const std::int64_t stride = std::int64_t{1} << set.log_stride;
  const std::int64_t last = set.start + (set.size - 1) * stride;
  if (set.start < 0 || last >= ranks)
    give_up(caller.name, fmt::format("{}: it has PEs {} to {}, but this job has PEs 0 to {}",
                                     describe(set), set.start, last, ranks - 1));
  Team team{caller.engine.teams().world().number,
            {static_cast<std::uint32_t>(set.start), static_cast<std::int32_t>(stride),
             static_cast<std::uint32_t>(set.size)},
            0};
  const std::optional<std::uint32_t> me = team.member_of(caller.engine.rank());
  if (!me) {
    if (caller.checks_enabled())
      give_up(caller.name, fmt::format("{}: the calling PE {} is not in it", describe(set),
                                       index(caller.engine.rank())));
    return std::nullopt;
  }
  team.me = *me;
  return team;
}

}  // namespace

Team* team_of(const Caller& caller, const ActiveSet& set, Team& members) {
  const std::optional<Team> found = members_of(caller, set);
  if (!found) return nullptr;
  members = *found;
  const SymmetricMemory& memory = caller.engine.symmetric();
  members.own_flags = memory.ranges().offset_of(set.sync, Group::flags_size);
  if (members.own_flags == SymmetricRanges::nowhere)
    give_up(caller.name,
            fmt::format("pSync at {}: its {} longs are not all in symmetric memory; {}",
                        fmt::ptr(set.sync), Group::flags, memory.describe()));
  if (members.own_flags % alignof(long) != 0)
    give_up(caller.name,
            fmt::format("pSync at {}: expected the address of a long, a multiple of {}",
                        fmt::ptr(set.sync), alignof(long)));
  return &caller.engine.collectives().team_of_set(members, caller.name);
}

void sync_set(Caller caller, int start, int log_stride, int size, long* sync) {
  SetTeam team(caller, {start, log_stride, size, sync});
  if (!team.has_this_pe()) return;
  caller.engine.collectives().sync(team, caller.name);
  check(caller, !caller.engine.default_lane().failed());
}

void barrier_set(Caller caller, int start, int log_stride, int size, long* sync) {
  check(caller, caller.engine.rma().quiet(caller.engine.default_lane()));
  sync_set(caller, start, log_stride, size, sync);
}

void broadcast_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                      std::size_t size, int root) {
  SetTeam team(caller, set);
  if (root < 0 || root >= set.size)
    give_up(caller.name, fmt::format("PE_root {}: the active set has {} members, 0 to {}", root,
                                     set.size, set.size - 1));
  if (!team.has_this_pe()) return;
  check(caller,
        caller.engine.collectives().broadcast(team, caller.name, dest, source, size,
                                              static_cast<std::uint32_t>(root), RootDest::kept));
}

void alltoall_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                     const Exchange& shape) {
  const std::size_t count = times(shape.count, elements(set.size));
  examine_set(caller, {"dest", dest, shape.width, count, shape.strides.target},
              {"source", source, shape.width, count, shape.strides.source});
  if (shape.strides.target < 1 || shape.strides.source < 1)
    give_up(caller.name, fmt::format("strides dst {} and sst {}: expected at least 1",
                                     shape.strides.target, shape.strides.source));
  SetTeam team(caller, set);
  if (!team.has_this_pe()) return;
  check(caller, caller.engine.collectives().alltoall(team, caller.name, dest, source, shape));
}

void examine_reduce_set(const Caller& caller, const Array& dest, const Array& source,
                        const void* work) {
  examine_arrays_in_place(caller, dest, source);
  const std::size_t count = dest.count == 0 ? 0 : dest.count / 2 + 1;
  examine_symmetric(caller, {"pWrk", work, dest.width, count});
}

void reduce_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                   int count, ElementType type) {
  SetTeam team(caller, set);
  if (count < 0)
    give_up(caller.name, fmt::format("nreduce {}: expected 0 or more elements", count));
  if (!team.has_this_pe()) return;
  check(caller, caller.engine.collectives().reduce(team, caller.name, dest, source,
                                                   static_cast<std::size_t>(count), type));
}

}  // namespace gondwana::shmem
