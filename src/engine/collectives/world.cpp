// Makes a world of all ranks of the job that live. See sync/world_update.hpp.
#include <fmt/format.h>

#include <bit>
#include <vector>

#include "engine/collectives/collectives.hpp"
#include "engine/collectives/offered_numbers.hpp"
#include "sync/world_update.hpp"

namespace gondwana {
namespace {

// The ranks of a node, as WorldUpdate sees them.
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

// The new world has the numbers of the first teams, so its epoch exceeds theirs, too.
NumberOffer offer_of(Teams& teams) {
  NumberOffer offer = take_offered_numbers(teams);
  for (const Team* team : {&teams.world(), &teams.shared()})
    offer.epoch = std::max({offer.epoch, team->epoch, team->shrinks});
  return offer;
}

Members living_in(const NodeUpdate& update) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t rank = 0; rank < update.size(); ++rank)
    if (update.lives(rank)) living.push_back(rank);
  return Members::of(living);
}

}  // namespace

Result<Collectives::World> Collectives::agree_on_world(CallName call, Growing growing) {
  Losses& losses = with_.waiter.losses();
  const NumberOffer taken = offer_of(teams_);
  const NumberOffer mine{growing == Growing::possible ? taken.numbers : 0, taken.epoch};
  NodeUpdate update(NodeGrowing(with_.memory, losses.list()), index(with_.me), mine);
  update.enter();
  with_.waiter.until({.call = call}, [&] { return update.decide(); });
  losses.acknowledge(update.deaths());
  const NumberOffer all = update.offered();
  const std::uint64_t chosen = all.numbers & -all.numbers;  // the lowest
  give_offered_back(teams_, taken.numbers & ~chosen);
  if (chosen == 0)
    return Error{Errc::out_of_memory,
                 fmt::format("none of the first {} team numbers is free on all PEs, or a PE has "
                             "registered buffers or a heap on a device; destroy teams and "
                             "unregister buffers before the update",
                             Teams::numbers_of_word)};
  return World{.members = living_in(update),
               .size = update.size(),
               .number = static_cast<std::uint32_t>(std::countr_zero(chosen)),
               .epoch = all.epoch,
               .made_at = update.deaths()};
}

Team& Collectives::begin_world_of(const World& world) {
  teams_.renew_first(world.members, world.epoch, world.made_at);
  heap_team_ = nullptr;
  std::vector<std::uint32_t> all(world.members.size);
  for (std::uint32_t member = 0; member < world.members.size; ++member) all[member] = member;
  return teams_.make(world.number, teams_.world(), Members::of(all), world.epoch);
}

}  // namespace gondwana
