// Makes a world of all ranks of the job that live. See sync/world_update.hpp.
#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "engine/collectives/collectives.hpp"
#include "engine/collectives/conducted_update.hpp"
#include "engine/collectives/offered_memory.hpp"
#include "sync/world_update.hpp"

namespace gondwana {
namespace {

// The ranks of a job, as WorldUpdate sees them on one node, and ConductedUpdate on several.
class NodeGrowing {
 public:
  NodeGrowing(const NodeMemory& memory, const DeathList& deaths)
      : memory_(&memory), deaths_(&deaths) {}

  WorldPlace<RealAtomics>& place(std::uint32_t rank) const {
    return memory_->page(Rank(rank)).world_place;
  }
  Doorbell<RealAtomics>& doorbell(std::uint32_t rank) const {
    return memory_->page(Rank(rank)).sync_bell;
  }
  std::atomic<std::uint64_t>& decided() const { return memory_->header().growth.world; }
  OfferPlace<RealAtomics>& agreed() const { return memory_->header().growth.agreed; }
  std::uint32_t size() const { return memory_->roster().size(); }
  std::uint32_t deaths() const { return deaths_->size(); }
  bool lives(std::uint32_t rank, std::uint32_t deaths) const {
    return memory_->roster_log().lives(Rank(rank), deaths);
  }
  std::uint32_t starts(std::uint32_t rank, std::uint32_t deaths) const {
    return memory_->roster_log().starts(Rank(rank), deaths);
  }

 private:
  const NodeMemory* memory_;
  const DeathList* deaths_;
};

using NodeUpdate = WorldUpdate<RealAtomics, NodeGrowing>;
using HostsUpdate = ConductedUpdate<RealAtomics, NodeGrowing>;

// The new world has the numbers of the first teams, so its epoch exceeds theirs, too.
NumberOffer offer_of(Teams& teams) {
  NumberOffer offer = take_offered_numbers(teams);
  for (const Team* team : {&teams.world(), &teams.shared()})
    offer.epoch = std::max({offer.epoch, team->epoch, team->shrinks});
  return offer;
}

template <typename Update>
Members living_in(const Update& update) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t rank = 0; rank < update.size(); ++rank)
    if (update.lives(rank)) living.push_back(rank);
  return Members::of(living);
}

Error no_world() {
  return {Errc::out_of_memory,
          fmt::format("none of the first {} team numbers is free on all PEs, or a PE has "
                      "registered buffers, a heap on a device or no memory for another team; "
                      "destroy teams and unregister buffers before the update",
                      Teams::numbers_of_word)};
}

}  // namespace

Result<Collectives::World> Collectives::agree_on_world(CallName call, Growing growing) {
  WorldMemory memory;
  const NumberOffer taken = with_world_memory(offer_of(teams_), memory);
  const NumberOffer mine{growing == Growing::possible ? taken.numbers : 0, taken.epoch};
  const auto agree = [&](auto update) -> World {
    update.enter();
    with_.waiter.until({.call = call}, [&] { return update.decide(); });
    const NumberOffer all = update.offered();
    return {.members = living_in(update),
            .size = update.size(),
            .numbers = all.numbers,
            .epoch = all.epoch,
            .made_at = update.deaths(),
            .memory = memory};
  };
  const NodeGrowing ranks(with_.memory, with_.waiter.losses().list());
  const std::uint32_t me = index(with_.me);
  World world = with_.memory.roster().nodes() == 1
                    ? agree(NodeUpdate(ranks, me, mine))
                    : agree(HostsUpdate(ranks, me, mine, with_.enter_world));
  with_.waiter.losses().acknowledge(world.made_at);
  world.numbers = lowest_of(world.numbers);
  if (world.numbers == 0) give_back(memory, taken);
  give_offered_back(teams_, taken.numbers & ~world.numbers);
  if (world.numbers == 0) return no_world();
  return world;
}

// On several nodes a rank takes the memory that teams of the new world need before it enters, so
// that no rank lacks it afterwards.
NumberOffer Collectives::with_world_memory(NumberOffer offer, WorldMemory& memory) {
  if (with_.remote == nullptr || !with_.rma.reach().covers(with_.me)) return offer;
  memory.of_world = levels_.reserve();
  if (!memory.of_world) {
    give_offered_back(teams_, offer.numbers);
    return {0, offer.epoch};
  }
  offer.epoch = std::max(offer.epoch, memory.of_world->epoch);
  const NumberOffer both = with_memory(with_, levels_, teams_, offer);
  memory.has_further = both.numbers != 0;
  return both;
}

void Collectives::give_back(const WorldMemory& memory, const NumberOffer& offer) {
  if (memory.of_world) levels_.give_back(*memory.of_world);
  if (memory.has_further) levels_.give_back(number_of(offer.numbers));
}

Team& Collectives::begin_world_of(const World& world, CallName call) {
  leave_world();
  teams_.renew_first(world.members, world.epoch, world.made_at);
  clear_flags();
  heap_team_ = nullptr;
  std::vector<std::uint32_t> all(world.members.size);
  std::iota(all.begin(), all.end(), 0U);
  Team& team = numbers_.make({number_of(world.numbers), world.epoch, world.memory.has_further},
                             teams_.world(), Members::of(all));
  if (world.memory.of_world) begin_levels_of_world(*world.memory.of_world, team, call);
  return team;
}

// Clears the flags that an aborted collective has left set. On one node no rank can set them again
// here, because all ranks have entered the update.
void Collectives::clear_flags() {
  for (const Team* team : {&teams_.world(), &teams_.shared()})
    std::memset(with_.memory.window(with_.me) + system_area::team_flags.at(team->number), 0,
                system_area::team_flags.size);
}

// Messages of a collective that a death has ended may still arrive in the memory of the former
// world.
void Collectives::leave_world() {
  Team& world = teams_.world();
  if (world.levels == nullptr) return;
  if (with_.waiter.losses().list().has_real_after(0))
    levels_.retire(world.number);
  else
    levels_.give_back(world.number);
  world.levels.reset();
}

// The further team has the same members, so they tell each other by it that the memory of the world
// is ready.
void Collectives::begin_levels_of_world(const StagedPlace& place, Team& further, CallName call) {
  Team& world = teams_.world();
  if (!levels_.suit(world)) return levels_.give_back(place);
  levels_.publish(world.number, place);
  sync(further, call);
  levels_.begin(world);
}

}  // namespace gondwana
