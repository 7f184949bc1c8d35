// The processes of a ChangingJob.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <utility>

#include "simulation/changing_job.hpp"
#include "simulation/changing_process.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events

namespace {

constexpr std::uint64_t lowest_of(std::uint64_t numbers) {
  return numbers & -numbers;
}

constexpr int exited(int status) {
  return status << 8;
}

}  // namespace

// A kill hits any process, most often the one that makes the step.
bool ChangingJob::step(Process& process, const char* what) {
  log([&] { return fmt::format("rank {}: {}", process.rank, what); });
  if (kills_ == 0 || --until_kill_ != 0) return process.is_alive;
  --kills_;
  until_kill_ = 1 + faults_.skewed(60);
  Process* victim = &process;
  if (faults_.one_in(3)) victim = faults_.pick(processes_).get();
  die(*victim, SIGKILL);
  return process.is_alive;
}

void ChangingJob::later(Process& process, Time most, std::function<void()> what) {
  schedule_.after(1 + random_.skewed(most), [&process, what = std::move(what)] {
    if (process.is_alive) what();
  });
}

// The guardian reads messages in order, the last ones after the end of the process.
void ChangingJob::send(Process& process, std::function<void()> message) {
  process.messages.push_back(std::move(message));
  schedule_.after(1 + random_.skewed(3 * ms), [this, &process] { deliver(process); });
}

void ChangingJob::deliver(Process& process) {
  while (!process.messages.empty()) {
    const std::function<void()> message = std::move(process.messages.front());
    process.messages.pop_front();
    message();
  }
}

void ChangingJob::await(Process& process, std::function<bool()> done) {
  process.wait = std::move(done);
  wake_all();
}

// Something in shared memory has changed.
void ChangingJob::wake_all() {
  for (const auto& process : processes_) {
    if (!process->is_alive || !process->wait || std::exchange(process->is_polling, true)) continue;
    schedule_.after(1 + random_.skewed(2 * ms), [this, &one = *process] {
      one.is_polling = false;
      if (!one.is_alive || !one.wait) return;
      const std::function<bool()> wait = std::exchange(one.wait, {});
      if (wait()) return wake_all();
      if (!one.wait) one.wait = wait;
    });
  }
}

void ChangingJob::die(Process& process, int wait_status) {
  if (!process.is_alive) return;
  log([&] { return fmt::format("rank {} dies", process.rank); });
  process.is_alive = false;
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank)
    died_early_ = died_early_ || !run_.contains(rank);
  const bool is_missed = !process.has_left && !process.has_finalized;
  is_killed_late_ = is_killed_late_ || !is_missed;
  if (is_missed && guardian_->end().is_idle()) expect_told(process);
  schedule_.after(random_.skewed(20 * ms),
                  [this, &process, wait_status] { end(process, wait_status); });
}

void ChangingJob::end(Process& process, int wait_status) {
  any_ended_well_ = any_ended_well_ || (process.is_alive && process.has_finalized);
  process.is_alive = false;
  is_killed_late_ =
      is_killed_late_ || (wait_status == SIGKILL && guardian_->ranks()[process.rank].is_unwanted);
  deliver(process);
  handle(RankEnded{process.rank,
                   wait_status,
                   {wire_->state(process.rank), "in a simulation"},
                   OomWatch::Finding::nothing,
                   wire_->can_lose_ranks()});
}

void ChangingJob::join(Process& process) {
  if (!step(process, "asks to join")) return;
  send(process, [this, &process] {
    if (const Result<void> joined = wire_->join(process.rank); !joined)
      return fail(joined.error().text);
    if (!memory_) map_memory();
    process.has_joined = true;
    handle(RankJoined{process.rank, process.pid});
    later(process, 20 * ms, [this, &process] { initialize(process); });
  });
}

// As Engine::create(): a process that replaces another one starts alone.
void ChangingJob::initialize(Process& process) {
  ControlPage& page = memory_->page(Rank(process.rank));
  page.state.store(RankState::joined, std::memory_order_release);
  if (!step(process, "initializes")) return;
  const Session& session = process.session;
  Team world{0, {}, 0, 0, 0};
  for (std::uint32_t rank = session.first; rank < session.end(); ++rank)
    world.ranks.push_back(rank);
  process.first_epoch = std::uint64_t{page.legacy.generation} << bits_of_a_generation;
  world.epoch = world.shrinks = process.first_epoch;
  judge_number(process, 0, world.epoch);
  process.world = world;
  if (DeathList(*memory_).awaits(Rank(process.rank))) return begin_to_run(process);
  process.syncs = 1;
  await(process, [this, &process] {
    for (const std::uint32_t rank : process.world->ranks)
      if (!current_.contains(rank) || current_[rank]->syncs < 1)
        return has_dead(*process.world) ? begin_to_run(process), true : false;
    return pass_first_sync(process), true;
  });
}

void ChangingJob::pass_first_sync(Process& process) {
  process.syncs = 2;
  if (!step(process, "has compared its facts")) return;
  await(process, [this, &process] {
    for (const std::uint32_t rank : process.world->ranks)
      if (current_[rank]->syncs < 2 && !has_dead(*process.world)) return false;
    return begin_to_run(process), true;
  });
}

void ChangingJob::begin_to_run(Process& process) {
  const bool is_alone = DeathList(*memory_).awaits(Rank(process.rank));
  process.syncs = 2;
  ControlPage& page = memory_->page(Rank(process.rank));
  page.state.store(RankState::running, std::memory_order_release);
  run_.insert(process.rank);
  if (is_alone) DeathList(*memory_).begin_to_run(Rank(process.rank));
  process.known = memory_->header().deaths;
  page.heeded.store(process.known, std::memory_order_release);
  wake_all();
  if (step(process, "runs")) go_on(process);
}

// A death of a member since the team was made.
bool ChangingJob::has_dead(const Team& team) const {
  const DeathList deaths(*memory_);
  return std::ranges::any_of(team.ranks, [&](std::uint32_t rank) {
    return deaths.first_death(Rank(rank), team.made_at) != 0;
  });
}

// The program: it computes, and updates its world.
void ChangingJob::go_on(Process& process) {
  later(process, 60 * ms, [this, &process] {
    const bool has_time = process.turn + 1 < last_turn_;
    if (process.is_asked || (has_time && random_.one_in(30))) return leave_job(process);
    if (has_time && job_.max_ranks && random_.one_in(4)) return ask_for_ranks(process);
    update(process);
  });
}

void ChangingJob::ask_for_ranks(Process& process) {
  if (!step(process, "asks for ranks")) return;
  process.answer.reset();
  const auto more = static_cast<std::uint32_t>(random_.between(1, 3));
  send(process, [this, &process, more] {
    process.asked_first = numbers_;
    handle(RanksWanted{.asker = process.rank, .ranks = more, .command = {}, .path = {}});
  });
  await(process, [this, &process, more] {
    if (!process.answer) return false;
    const DeathList deaths(*memory_);
    for (std::uint32_t i = 0; process.answer->empty() && i < more; ++i) {
      const std::uint32_t rank = process.asked_first + i;
      if (wire_->state(rank) < RankState::running && !deaths.has(Rank(rank))) return false;
    }
    if (step(process, "has its answer")) update(process);
    return true;
  });
}

// A rank that is alone stays.
void ChangingJob::leave_job(Process& process) {
  const auto living = std::ranges::count_if(current_, [](const auto& each) {
    return each.second->is_alive && !each.second->has_left && !each.second->is_asked;
  });
  if (living < 2 && !process.is_asked) return update(process);
  if (!step(process, "leaves")) return;
  process.has_left = true;
  send(process, [this, &process] { handle(RankLeft{process.rank}); });
  memory_->page(Rank(process.rank)).state.store(RankState::finalized, std::memory_order_release);
  later(process, 10 * ms, [this, &process] { end(process, exited(0)); });
}

// As Collectives::agree_on_world(). A process for which the others do not wait ends.
void ChangingJob::update(Process& process) {
  using Update = WorldUpdate<RealAtomics, ChangingRanks>;
  process.taken = std::exchange(process.free, 0);
  NumberOffer offer{process.taken, std::max(process.world->epoch, process.world->shrinks)};
  for (const auto& [number, epoch] : process.last_epochs)
    offer.epoch = std::max(offer.epoch, epoch);
  Update real(ChangingRanks{memory_.get()}, process.rank, offer);
  real.enter();
  if (!step(process, "enters an update")) return;
  await(process, [this, &process, real]() mutable {
    if (memory_->page(Rank(process.rank)).world_place.turn > last_turn_)
      return finalize(process), true;
    if (!real.decide()) return false;
    Agreed agreed{{}, real.deaths(), real.offered().numbers, real.offered().epoch};
    for (std::uint32_t rank = 0; rank < real.size(); ++rank)
      if (real.lives(rank)) agreed.members.push_back(rank);
    on_updated(process, agreed);
    return true;
  });
}

// As Collectives::begin_world_of(), Engine::update_world().
void ChangingJob::on_updated(Process& process, const Agreed& agreed) {
  process.turn = memory_->page(Rank(process.rank)).world_place.turn;
  judge(worlds_, {process.turn}, agreed);
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
    if (!all_came && !has_dead(*process.world)) return false;
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

// As Collectives::shrink(), of the world.
void ChangingJob::shrink(Process& process) {
  using Shrink = TeamShrink<RealAtomics, ChangingMembers>;
  Team& world = *process.world;
  process.taken = std::exchange(process.free, 0);
  NumberOffer offer{process.taken, process.first_epoch};
  for (const auto& [number, epoch] : process.last_epochs)
    offer.epoch = std::max(offer.epoch, epoch);
  Shrink real(ChangingMembers{memory_.get(), 0, world.ranks, world.made_at},
              world.member(process.rank), ++world.shrinks);
  real.enter(offer);
  if (!step(process, "shrinks its world")) return;
  await(process, [this, &process, real]() mutable {
    if (!real.decide()) return false;
    Agreed agreed{{}, real.deaths(), real.offered().numbers, real.offered().epoch};
    for (std::uint32_t i = 0; i < process.world->ranks.size(); ++i)
      if (real.lives(i)) agreed.members.push_back(process.world->ranks[i]);
    on_shrunk(process, agreed);
    return true;
  });
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
  using Shrink = TeamShrink<RealAtomics, ChangingMembers>;
  Team& world = *process.world;
  if (!step(process, "finalizes")) return;
  if (DeathList(*memory_).first_death(Rank(process.rank), world.made_at) != 0)
    return finish(process);
  Shrink real(ChangingMembers{memory_.get(), 0, world.ranks, world.made_at},
              world.member(process.rank), ++world.shrinks);
  real.enter({0, 0});
  await(process, [this, &process, real]() mutable {
    if (!real.decide()) return false;
    finish(process);
    return true;
  });
}

void ChangingJob::finish(Process& process) {
  process.has_finalized = true;
  memory_->page(Rank(process.rank)).state.store(RankState::finalized, std::memory_order_release);
  if (!step(process, "has finalized")) return;
  later(process, 10 * ms, [this, &process] { end(process, exited(0)); });
}

}  // namespace gondwana::simulation
