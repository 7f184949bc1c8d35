// The agreements of the processes of a ChangingJob.
#include <algorithm>
#include <bit>
#include <utility>

#include "simulation/changing_job.hpp"
#include "simulation/changing_process.hpp"

namespace gondwana::simulation {

namespace {

constexpr std::uint64_t lowest_of(std::uint64_t numbers) {
  return numbers & -numbers;
}

}  // namespace

// As Collectives::agree_on_world(). A process for which the others do not wait ends.
void ChangingJob::update(Process& process) {
  if (last_decided_ >= last_turn_) return finalize(process);
  process.taken = std::exchange(process.free, 0);
  NumberOffer offer{process.taken, std::max(process.world->epoch, process.world->shrinks)};
  for (const auto& [number, epoch] : process.last_epochs)
    offer.epoch = std::max(offer.epoch, epoch);
  const auto agree = [&](auto real) {
    real.enter();
    if (!step(process, "enters an update")) return;
    await(process, [this, &process, real]() mutable { return has_updated(process, real); });
  };
  const ChangingRanks ranks{process.node->memory.get()};
  if (!has_conductor())
    return agree(WorldUpdate<RealAtomics, ChangingRanks>(ranks, process.rank, offer));
  process.enter_world = [this, &process](const WorldEntry& entry) {
    send(process, [this, &process, entry] { handle(*process.node, entry); });
  };
  agree(
      ConductedUpdate<RealAtomics, ChangingRanks>(ranks, process.rank, offer, process.enter_world));
}

template <typename Update>
bool ChangingJob::has_updated(Process& process, Update& update) {
  if (!has_conductor() && turn_of(process) > last_turn_) return finalize(process), true;
  if (!update.decide()) return false;
  Agreed agreed{{}, update.deaths(), update.offered().numbers, update.offered().epoch};
  for (std::uint32_t rank = 0; rank < update.size(); ++rank)
    if (update.lives(rank)) agreed.members.push_back(rank);
  on_updated(process, agreed);
  return true;
}

// The update that it has entered, or on several nodes the last that was decided.
std::uint64_t ChangingJob::turn_of(const Process& process) const {
  if (!has_conductor()) return process.page().world_place.turn;
  return world_word::turn(process.node->memory->header().growth.world);
}

// As Collectives::begin_world_of(), Engine::update_world().
void ChangingJob::on_updated(Process& process, const Agreed& agreed) {
  process.turn = turn_of(process);
  judge(worlds_, {process.turn}, agreed);
  judge_members(process, agreed);
  const std::uint64_t chosen = lowest_of(agreed.numbers);
  process.free |= process.taken & ~chosen;
  if (chosen == 0) return fail("no number is left for a team");
  process.world = Team{0, agreed.members, agreed.epoch, agreed.epoch, agreed.deaths};
  judge_number(process, 0, agreed.epoch);
  const auto number = static_cast<std::uint32_t>(std::countr_zero(chosen));
  judge_number(process, number, agreed.epoch);
  process.last_epochs[number] = agreed.epoch + 1;  // the program destroys the team
  epochs_[{process.rank, number}] = agreed.epoch + 1;
  process.free |= chosen;
  if (!step(process, "has a new world")) return;
  synced_[process.turn].insert(process.rank);
  await(process, [this, &process] {
    const bool all_came = std::ranges::includes(synced_[process.turn], process.world->ranks);
    if (!all_came && !has_dead(process)) return false;
    pass_world_sync(process);
    return true;
  });
}

void ChangingJob::pass_world_sync(Process& process) {
  ++process.world->epoch;
  if (!step(process, "has met the others")) return;
  if (process.turn % 2 == 1) return shrink(process);
  if (process.turn >= last_turn_) return finalize(process);
  go_on(process);
}

// As Collectives::agree_on_living(), of the world.
void ChangingJob::agree_on_living(Process& process, const NumberOffer& offer,
                                  std::function<void(const Agreed&)> then) {
  Team& world = *process.world;
  const ChangingMembers members{process.node->memory.get(), 0, world.ranks, world.made_at};
  const std::uint64_t turn = ++world.shrinks;
  const auto wait = [&](auto real) {
    real.enter(offer);
    if (!step(process, "shrinks its world")) return;
    await(process, [&process, real, then]() mutable {
      if (!real.decide()) return false;
      Agreed agreed{{}, real.deaths(), real.offered().numbers, real.offered().epoch};
      for (std::uint32_t i = 0; i < process.world->ranks.size(); ++i)
        if (real.lives(i)) agreed.members.push_back(process.world->ranks[i]);
      then(agreed);
      return true;
    });
  };
  const launch::Admission& here = process.node->guardian->ranks();
  if (std::ranges::all_of(world.ranks,
                          [&](std::uint32_t rank) { return here.local(rank).has_value(); }))
    return wait(
        TeamShrink<RealAtomics, ChangingMembers>(members, world.member(process.rank), turn));
  process.enter_shrink = [this, &process](const ShrinkEntry& entry) {
    send(process, [this, &process, entry] { handle(*process.node, entry); });
  };
  const ShrinkEntry entry{.team = 0,
                          .first = world.ranks[0],
                          .turn = turn,
                          .size = static_cast<std::uint32_t>(world.ranks.size()),
                          .rank = process.rank};
  wait(ConductedShrink<RealAtomics, ChangingMembers>(members, world.member(process.rank), entry,
                                                     process.enter_shrink));
}

// As Collectives::shrink().
void ChangingJob::shrink(Process& process) {
  process.taken = std::exchange(process.free, 0);
  NumberOffer offer{process.taken, process.first_epoch};
  for (const auto& [number, epoch] : process.last_epochs)
    offer.epoch = std::max(offer.epoch, epoch);
  agree_on_living(process, offer,
                  [this, &process](const Agreed& agreed) { on_shrunk(process, agreed); });
}

void ChangingJob::on_shrunk(Process& process, const Agreed& agreed) {
  judge(teams_, {process.world->ranks[0], process.world->made_at, process.world->shrinks}, agreed);
  const std::uint64_t chosen = lowest_of(agreed.numbers);
  process.free |= process.taken;
  if (chosen == 0) return fail("no number is left for a team of the living");
  const auto number = static_cast<std::uint32_t>(std::countr_zero(chosen));
  judge_number(process, number, agreed.epoch);
  process.last_epochs[number] = agreed.epoch + 1;
  epochs_[{process.rank, number}] = agreed.epoch + 1;
  if (!step(process, "has a team of the living")) return;
  if (process.turn >= last_turn_) return finalize(process);
  go_on(process);
}

// As Collectives::meet_living(): the others do not wait for a process that they do not know.
void ChangingJob::finalize(Process& process) {
  if (!step(process, "finalizes")) return;
  if (process.deaths().first_death(Rank(process.rank), process.world->made_at) != 0)
    return finish(process);
  agree_on_living(process, {0, 0}, [this, &process](const Agreed&) { finish(process); });
}

}  // namespace gondwana::simulation
