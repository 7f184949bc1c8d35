#include "engine/collectives/levels/level_collectives.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/teams/nodes.hpp"
#include "memory/layout.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

TraceEvent event_of_step(std::uint64_t number, bool on_network) {
  return {.kind = EventKind::step,
          .name = Tracer::number_of(on_network ? "between nodes" : "on this node"),
          .bytes = number};
}

}  // namespace

bool LevelCollectives::suit(const Team& team) const {
  const Reach& reach = with_.rma.reach();
  return with_.remote != nullptr && reach.covers(with_.me) && !is_within(reach, team) &&
         !nodes_of(with_.memory, team).empty();
}

StagedPlace& LevelCollectives::place_here(Rank rank, std::uint32_t number) const {
  return shared_at<StagedPlace>(with_.memory.window(rank), system_area::team_places.at(number));
}

std::optional<Epoch> LevelCollectives::prepare(std::uint32_t number) {
  const std::optional<StagedPlace> place = space_.take();
  if (!place) return std::nullopt;
  own_place(number) = *place;
  return place->epoch;
}

void LevelCollectives::give_back(std::uint32_t number) {
  space_.give_back(own_place(number));
}

// This rank needs the StagedPlace of each member of its node and of the leaders of other nodes. It
// asks all leaders at once.
void LevelCollectives::begin(Team& team) {
  StagedCollectives::Setup setup;
  setup.nodes = nodes_of(with_.memory, team);
  setup.me = team.me;
  setup.replicas = space_.replicas(own_place(team.number));
  setup.places.resize(team.size);
  const staged::MemberPlaces map(setup.nodes);
  std::vector<RemoteAccess::Get> far;
  for (std::uint32_t member = 0; member < team.size; ++member) {
    const Rank rank = setup.ranks.emplace_back(team.rank_of(member));
    StagedPlace& place = setup.places[member];
    if (with_.reaches(rank))
      place = place_here(rank, team.number);
    else if (map.place_of(member).at == 0)
      far.push_back({.dest = std::as_writable_bytes(std::span(&place, 1)),
                     .from = {rank, system_area::team_places.at(team.number)}});
  }
  if (!with_.remote->get_all_uncounted(with_.lane, far))
    with_.lose("team", with_.lane.take_error()->text);
  for (StagedPlace& place : setup.places) place.epoch = team.epoch;
  team.levels = std::make_shared<StagedCollectives>(with_, setup);
}

template <staged::Step S>
void LevelCollectives::finish(const Team& team, CallName call, S step) {
  const CollectiveResources& with = team.levels->with();
  bool is_over = false;
  for (std::uint64_t number = 1; !is_over; ++number) {
    const bool on_network = staged::waits_for_network(step);
    const TracedScope traced([&] { return event_of_step(number, on_network); });
    // Members wake each other explicitly, so puts of other nodes to this rank need not wake it.
    const WaitReason why{.call = call,
                         .team = team.number,
                         .on_program_memory = true,
                         .word = team.levels->own_word(),
                         .on_network = on_network};
    with.waiter.until(why, [&] {
      is_over = step.advance();
      return is_over || staged::waits_for_network(step) != on_network;
    });
  }
  with.remote->depart(call);
}

void LevelCollectives::end(const Team& team, CallName call) {
  team.levels->enter_last([&](auto barrier) { finish(team, call, std::move(barrier)); });
  give_back(team.number);
}

void LevelCollectives::sync(Team& team, CallName call) {
  team.levels->enter([&](auto barrier) { finish(team, call, std::move(barrier)); });
}

void LevelCollectives::move(Team& team, CallName call, const staged::Movement& what) {
  team.levels->move(call, what, [&](auto steps) { finish(team, call, std::move(steps)); });
}

bool LevelCollectives::broadcast(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t size, std::uint32_t root, RootDest root_dest) {
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(dest);
  // Writes nothing if the root's dest is its source.
  if (team.me == root && root_dest == RootDest::kept) to = const_cast<std::byte*>(from);
  move(team, call,
       {.flow = {.from = root}, .apart = false, .block = size, .source = from, .dest = to});
  return true;
}

bool LevelCollectives::fcollect(Team& team, CallName call, void* dest, const void* source,
                                std::size_t size) {
  move(team, call,
       {.flow = {},
        .apart = false,
        .block = size,
        .source = static_cast<const std::byte*>(source),
        .dest = static_cast<std::byte*>(dest)});
  return true;
}

bool LevelCollectives::alltoall(Team& team, CallName call, void* dest, const void* source,
                                std::size_t block) {
  move(team, call,
       {.flow = {},
        .apart = true,
        .block = block,
        .source = static_cast<const std::byte*>(source),
        .dest = static_cast<std::byte*>(dest)});
  return true;
}

bool LevelCollectives::reduce(Team& team, CallName call, void* dest, const void* source,
                              std::size_t count, ElementType type) {
  combine(team, call, dest, source, count, type);
  return true;
}

// Combines in the order of the members: equal calls give equal bits.
bool LevelCollectives::scan(Team& team, CallName call, void* dest, const void* source,
                            std::size_t count, ElementType type, Scan kind) {
  const std::size_t size = count * type.size;
  if (size == 0) return true;
  const Rooms::Room terms = with_.rooms.take(team.size * size);
  fcollect(team, call, terms.get(), source, size);
  const std::uint32_t number = kind == Scan::inclusive ? team.me + 1 : team.me;
  if (number == 0)
    std::memset(dest, 0, size);
  else
    std::memcpy(dest, terms.get(), size);
  for (std::uint32_t i = 1; i < number; ++i)
    type.combine(dest, dest, terms.get() + i * size, count);
  return true;
}

void LevelCollectives::combine(Team& team, CallName call, void* dest, const void* source,
                               std::size_t count, ElementType type) {
  constexpr std::size_t most = std::size_t{16}
                               << 20;  // bytes; leaders need several times this size
  const std::size_t piece = std::max<std::size_t>(1, most / type.size);
  using staged::Operator;
  const auto order = team.list != nullptr ? Operator::Order::of_members : Operator::Order::any;
  for (std::size_t done = 0; done < count; done += piece) {
    const staged::Reduction what{.flow = {},
                                 .operation = Operator(type, order),
                                 .count = std::min(piece, count - done),
                                 .source = static_cast<const std::byte*>(source) + done * type.size,
                                 .dest = static_cast<std::byte*>(dest) + done * type.size};
    team.levels->reduce(call, what, [&](auto steps) { finish(team, call, std::move(steps)); });
  }
}

}  // namespace gondwana
