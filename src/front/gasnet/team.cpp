// Operations on teams. GASNet-EX 0.19, Operations on gex_TM_t.
#include "gasnet/team.h"

#include <algorithm>
#include <utility>

#include "core/more_ranks.hpp"
#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

void refuse_member(const Team& team, gex_Rank_t rank, CallName call, const char* what) {
  const auto named = static_cast<std::int32_t>(rank);
  give_up(call, fmt::format("{} {}: the team has {} member{}, 0 to {}{}", what, named, team.size,
                            team.size == 1 ? "" : "s", team.size - 1,
                            start_with_more(team.door->engine().ranks(), named)));
}

void Team::show_members(bool inline_path) {
  reach.resize(size);
  if (!inline_path) empty.resize(size);
  members = inline_path ? reach.data() : empty.data();
}

void Team::meet(CallName call) {
  collectives->enter_last([&](auto barrier) { wait_for(call, barrier); });
}

void Team::exchange(CallName call, Bytes mine, MutableBytes all) {
  const staged::Movement what{
      .flow = {}, .apart = false, .block = mine.size(), .source = mine.data(), .dest = all.data()};
  collectives->move(call, what, [&](auto step) { wait_for(call, step); });
}

namespace {

// The scratch size that the library asks of the client: one page, though the library needs none.
constexpr std::size_t scratch_wanted = 4096;
constexpr gex_Flags_t size_queries =
    GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED | GEX_FLAG_TM_SCRATCH_SIZE_MIN;

// The contribution of a member of the parent to a split.
struct SplitRecord {
  bool joins;
  int color;
  int key;
  gex_EP_Index_t endpoint;
  StagedPlace place;
};

// Returns the new team of this member, or null.
Team* split(Team& parent, int color, int key, bool joins, CallName call, gex_Flags_t flags) {
  SplitRecord mine{joins, color, key, parent.endpoint->index, {}};
  if (joins) mine.place = parent.door->teams().take_scratch(call);
  const std::vector<SplitRecord> all = parent.exchange(call, mine);
  if (!joins) return nullptr;
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < parent.size; ++i)
    if (all[i].joins && all[i].color == color) members.push_back(i);
  std::ranges::sort(members, {}, [&](std::uint32_t i) { return std::pair(all[i].key, i); });
  Membership membership;
  for (const std::uint32_t i : members) {
    if (i == parent.rank) membership.rank = static_cast<std::uint32_t>(membership.processes.size());
    membership.processes.push_back(parent.processes[i]);
    membership.indices.push_back(all[i].endpoint);
    membership.places.push_back(all[i].place);
  }
  return &parent.door->teams().add(std::move(membership), flags);
}

// The positions of this process's endpoints in a list of all members.
std::vector<std::uint32_t> own_positions(const Team& parent, const gex_EP_Location_t* args,
                                         std::size_t count, gex_Flags_t flags,
                                         std::vector<std::uint32_t>& processes) {
  std::vector<std::uint32_t> own;
  for (std::uint32_t i = 0; i < count; ++i) {
    const gex_Rank_t named = args[i].gex_rank;
    const bool by_job = (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0;
    if (named >= (by_job ? parent.door->ranks() : parent.size))
      give_up("gex_TM_Create",
              fmt::format("args[{}] names rank {}, which does not exist", i, named));
    processes.push_back(by_job ? named : parent.processes[named]);
    if (processes.back() == parent.door->rank()) own.push_back(i);
  }
  return own;
}

// The contribution of a member of the parent to gex_TM_Create: scratch for each of its endpoints.
struct CreateRecord {
  std::uint32_t process;
  std::array<StagedPlace, max_endpoints> places;
};

void note_scratch(Team& team, void* address, std::size_t size, gex_Flags_t flags) {
  if ((flags & GEX_FLAG_TM_NO_SCRATCH) == 0) team.scratch = {address, size};
}

// `given` may be an offset in the segment of the endpoint.
void* scratch_address(const Team& team, gex_Addr_t given, gex_Flags_t flags) {
  if ((flags & GEX_FLAG_SCRATCH_SEG_OFFSET) == 0) return given;
  const gex_Segment_t segment = team.endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID)
    give_up("gex_TM_Create", "GEX_FLAG_SCRATCH_SEG_OFFSET: the endpoint has no segment");
  return segment->address + reinterpret_cast<std::uintptr_t>(given);
}

std::size_t which_scratch(std::size_t local, std::size_t position, gex_Flags_t flags) {
  if ((flags & GEX_FLAG_TM_GLOBAL_SCRATCH) != 0) return position;
  return (flags & GEX_FLAG_TM_LOCAL_SCRATCH) != 0 ? local : 0;
}

// Returns the teams of this process, one for each of its endpoints in the list.
std::vector<Team*> create(Team& parent, const gex_EP_Location_t* args, std::size_t count,
                          gex_Flags_t flags) {
  Door& door = *parent.door;
  std::vector<std::uint32_t> processes;
  const std::vector<std::uint32_t> own = own_positions(parent, args, count, flags, processes);
  CreateRecord mine{door.rank(), {}};
  for (std::size_t i = 0; i < own.size(); ++i)
    mine.places.at(i) = door.teams().take_scratch("gex_TM_Create");
  const std::vector<CreateRecord> all = parent.exchange("gex_TM_Create", mine);
  Membership membership;
  std::map<std::uint32_t, std::size_t> seen;  // endpoints of each process so far
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto record = std::ranges::find(all, processes[i], &CreateRecord::process);
    if (record == all.end())
      give_up("gex_TM_Create",
              fmt::format("args[{}] names a process that is not in the parent", i));
    const std::size_t at = seen[processes[i]]++;
    membership.processes.push_back(processes[i]);
    membership.indices.push_back(args[i].gex_ep_index);
    membership.places.push_back(record->places.at(at));
  }
  std::vector<Team*> made;
  for (std::size_t i = 0; i < own.size(); ++i) {
    membership.rank = own[i];
    made.push_back(&door.teams().add(membership, flags));
  }
  return made;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

size_t gex_TM_Split(gex_TM_t* new_tm_p, gex_TM_t parent_tm, int color, int key, void* scratch_addr,
                    size_t scratch_size, gex_Flags_t flags) {
  constexpr auto call = "gex_TM_Split";
  if ((flags & size_queries) != 0) return new_tm_p != nullptr ? scratch_wanted : 0;
  Team& parent = Team::of(parent_tm);
  if (color < 0 && new_tm_p != nullptr) give_up(call, fmt::format("color {} is negative", color));
  Team* made = split(parent, color, key, new_tm_p != nullptr, call, flags);
  if (made == nullptr) return 0;
  note_scratch(*made, scratch_addr, scratch_size, flags);
  *new_tm_p = made;
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
size_t gex_TM_Create(gex_TM_t* new_tms, size_t num_new_tms, gex_TM_t parent_tm,
                     gex_EP_Location_t* args, size_t numargs, gex_Addr_t* scratch_addrs,
                     size_t scratch_size, gex_Flags_t flags) {
  if ((flags & size_queries) != 0) return numargs > 0 ? scratch_wanted : 0;
  const std::vector<Team*> made = create(Team::of(parent_tm), args, numargs, flags);
  if (made.size() != num_new_tms && numargs > 0)
    give_up("gex_TM_Create", fmt::format("num_new_tms is {}, but args has {} endpoints of this "
                                         "process",
                                         num_new_tms, made.size()));
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (scratch_addrs != nullptr && (flags & GEX_FLAG_TM_NO_SCRATCH) == 0) {
      const gex_Addr_t given = scratch_addrs[which_scratch(i, made[i]->rank, flags)];
      note_scratch(*made[i], scratch_address(*made[i], given, flags), scratch_size, flags);
    }
    new_tms[i] = made[i];
  }
  return 0;
}

size_t gex_TM_Dup(gex_TM_t* new_tm_p, gex_TM_t orig_tm, gex_Addr_t scratch_addr, size_t scratch_len,
                  gex_Flags_t flags) {
  if ((flags & size_queries) != 0) return scratch_wanted;
  Team& original = Team::of(orig_tm);
  Team* made = split(original, 0, 0, true, "gex_TM_Dup", flags);
  note_scratch(*made, scratch_addr, scratch_len, flags);
  *new_tm_p = made;
  return 0;
}

// All members synchronize, so that no member uses the team afterwards. Its scratch can be reused.
int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t* scratch_p, gex_Flags_t flags) {
  Team& team = Team::of(tm);
  if (tm == team.door->teams().world())
    give_up("gex_TM_Destroy", "the team of the whole job cannot be destroyed");
  team.meet("gex_TM_Destroy");
  const bool gives_back = team.scratch.gex_addr != nullptr && scratch_p != nullptr;
  if (gives_back) {
    *scratch_p = team.scratch;
    if ((flags & GEX_FLAG_SCRATCH_SEG_OFFSET) != 0) {
      const auto offset =
          static_cast<std::byte*>(scratch_p->gex_addr) - team.endpoint->segment->address;
      scratch_p->gex_addr = reinterpret_cast<void*>(offset);
    }
  }
  team.door->teams().remove(team);
  return gives_back ? 1 : 0;
}

gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index) {
  return &local_ep->client->door->teams().pair(local_ep, remote_ep_index);
}

gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank) {
  check_member(Team::of(tm), rank, "gex_TM_TranslateRankToJobrank");
  return Team::of(tm).processes[rank];
}

gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank) {
  const std::vector<std::uint32_t>& processes = Team::of(tm).processes;
  if (jobrank < processes.size() && processes[jobrank] == jobrank) return jobrank;
  const auto found = std::ranges::find(processes, jobrank);
  if (found == processes.end()) return GEX_RANK_INVALID;
  return static_cast<gex_Rank_t>(found - processes.begin());
}

gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t /*flags*/) {
  const Team& team = Team::of(tm);
  check_member(team, rank, "gex_TM_TranslateRankToEP");
  return {team.processes[rank], team.indices[rank]};
}

gex_Client_t gex_TM_QueryClient(gex_TM_t tm) {
  return Team::of(tm).endpoint->client;
}

gex_EP_t gex_TM_QueryEP(gex_TM_t tm) {
  return Team::of(tm).endpoint;
}

gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm) {
  return Team::of(tm).flags;
}

gex_Rank_t gex_TM_QueryRank(gex_TM_t tm) {
  return tm->rank;
}

gex_Rank_t gex_TM_QuerySize(gex_TM_t tm) {
  return tm->size;
}

void gex_TM_SetCData(gex_TM_t tm, const void* val) {
  Team::of(tm).data.value = val;
}

void* gex_TM_QueryCData(gex_TM_t tm) {
  return const_cast<void*>(Team::of(tm).data.value);
}
