#include "front/gasnet/team_table.hpp"

#include "core/parse.hpp"
#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {
namespace {

CollectiveResources resources_for(Door& door) {
  const CollectiveResources& of_engine = door.engine().collectives().resources();
  return {.memory = of_engine.memory,
          .me = of_engine.me,
          .rma = of_engine.rma,
          .remote = of_engine.remote,
          .waiter = of_engine.waiter,
          .lane = door.remote().lane() != nullptr ? *door.remote().lane() : of_engine.lane,
          .algorithms = of_engine.algorithms,
          .symmetric = of_engine.symmetric,
          .segments = of_engine.segments,
          .rooms = of_engine.rooms,
          .has_threads = door.threads() != ThreadMode::seq,
          .give_up = give_up};
}

// Finds memory in the segment of the team's endpoint that is not symmetric. Excludes segments on
// files of the client, because not all members map them.
std::uint64_t offset_in_segment(const Team& team, Bytes memory) {
  const gex_Segment_t segment = team.endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID || segment->offset == gondwana_gex_segment::unreachable ||
      segment->space || (segment->pages != nullptr && segment->pages->file))
    return StagedTeam::nowhere;
  const auto at = static_cast<std::size_t>(memory.data() - segment->address);
  const bool is_inside = at <= segment->size && memory.size() <= segment->size - at;
  return is_inside ? segment->offset + at : StagedTeam::nowhere;
}

}  // namespace

TeamTable::TeamTable(Door& door, bool inline_path)
    : door_(door),
      inline_path_(inline_path),
      staged_(resources_for(door)),
      scratch_space_(staged_) {}

void TeamTable::make_world(CallName call) {
  const StagedPlace mine = take_scratch(call);
  SegmentDirectory& shown = door_.directories().near(door_.rank());
  shown.scratch.store(mine.scratch, std::memory_order_relaxed);
  shown.replicas.store(mine.replicas, std::memory_order_relaxed);
  Engine& engine = door_.engine();
  engine.collectives().sync(engine.teams().world(), call);
  Membership all;
  for (std::uint32_t process = 0; process < door_.ranks(); ++process) {
    all.processes.push_back(process);
    all.indices.push_back(0);
    all.places.push_back(first_place(process));
  }
  all.rank = door_.rank();
  world_ = &add(std::move(all), 0);
}

StagedPlace TeamTable::take_scratch(CallName call) {
  const std::optional<StagedPlace> place = scratch_space_.take();
  if (!place)
    give_up(call, fmt::format("cannot allocate {} of scratch memory for the members of a team; "
                              "destroy teams or attach a smaller segment",
                              format_size(scratch_space_.size_of_place())));
  return *place;
}

// All scratch is unused at this point, so every cache line has its initial value.
StagedPlace TeamTable::first_place(std::uint32_t process) {
  const auto place_in = [](const SegmentDirectory& shown) {
    return StagedPlace{.scratch = shown.scratch.load(std::memory_order_relaxed),
                       .replicas = shown.replicas.load(std::memory_order_relaxed)};
  };
  return door_.reaches(process) ? place_in(door_.directories().near(process))
                                : place_in(*door_.directories().far(process));
}

Team& TeamTable::add(Membership membership, gex_Flags_t flags) {
  auto team = std::make_unique<Team>(door_);
  team->size = static_cast<std::uint32_t>(membership.processes.size());
  team->rank = membership.rank;
  team->processes = std::move(membership.processes);
  team->indices = std::move(membership.indices);
  team->endpoint = door_.endpoints()[team->indices[team->rank]];
  team->flags = flags;
  team->place = membership.places[team->rank];
  team->collectives = make_collectives(*team, std::move(membership.places));
  team->show_members(inline_path_ && !is_on_device(team->endpoint->segment));
  fill(*team);
  const std::scoped_lock lock(mutex_);
  return *teams_.emplace_back(std::move(team));
}

// If loads and stores reach no other process, each process counts as a node.
std::unique_ptr<StagedCollectives> TeamTable::make_collectives(const Team& team,
                                                               std::vector<StagedPlace> places) {
  const Roster& roster = door_.engine().memory().roster();
  StagedCollectives::Setup setup;
  const bool is_apart = !door_.engine().rma().reach().covers(door_.engine().rank());
  for (const std::uint32_t process : team.processes) {
    setup.ranks.push_back(Rank(process));
    setup.nodes.push_back(is_apart ? process : roster.where(Rank(process)).node);
  }
  setup.places = std::move(places);
  setup.me = team.rank;
  setup.replicas = scratch_space_.replicas(team.place);
  setup.offset_of = [&team](Bytes memory) { return offset_in_segment(team, memory); };
  return std::make_unique<StagedCollectives>(staged_, setup);
}

// Maps the files of the members' segments before the segments are used.
void TeamTable::fill(Team& team) {
  for (std::uint32_t i = 0; i < team.size; ++i) {
    const std::uint32_t process = team.processes[i];
    team.reach[i] = door_.directories().member(process, team.indices[i]);
    if (process == door_.rank() || !door_.reaches(process)) continue;
    if (const Result<void> done = door_.engine().program_memory().files().follow(Rank(process));
        !done)
      give_up("gex_EP_PublishBoundSegment",
              fmt::format("this process cannot map the segment of rank {} on a shared mapping: {}; "
                          "use private memory there",
                          process, done.error().text));
  }
}

void TeamTable::remove(Team& team) {
  scratch_space_.give_back(team.place);
  const std::scoped_lock lock(mutex_);
  teams_.remove_if([&](const auto& held) { return held.get() == &team; });
}

Team& TeamTable::pair(gex_EP_t local, gex_EP_Index_t remote) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Team>& pair = pairs_[{local->index, remote}];
  if (pair != nullptr) return *pair;
  pair = std::make_unique<Team>(door_);
  pair->endpoint = local;
  pair->size = door_.ranks();
  pair->rank = door_.rank();
  for (std::uint32_t process = 0; process < door_.ranks(); ++process)
    pair->processes.push_back(process);
  pair->indices.assign(door_.ranks(), remote);
  pair->show_members(inline_path_ && !is_on_device(local->segment));
  fill(*pair);
  return *pair;
}

void TeamTable::forget_pairs(const gondwana_gex_endpoint& local) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(pairs_, [&](const auto& entry) { return entry.first.first == local.index; });
}

// No member leaves before all have filled their teams. Its next message may name any segment, and a
// handler may not fetch missing ones.
void TeamTable::publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call) {
  door_.directories().publish(team, endpoints, call);
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& each : teams_) fill(*each);
    for (const auto& [key, pair] : pairs_) fill(*pair);
  }
  team.meet(call);
}

void TeamTable::hide_members(const gondwana_gex_endpoint& endpoint) {
  const std::scoped_lock lock(mutex_);
  for (const auto& team : teams_)
    if (team->endpoint == &endpoint) team->show_members(false);
  for (const auto& [key, pair] : pairs_)
    if (key.first == endpoint.index) pair->show_members(false);
}

}  // namespace gondwana::gasnet
