// The processes of a ChangingJob: how they start, ask for others and leave.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "simulation/changing_job.hpp"
#include "simulation/changing_process.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events

namespace {

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
  harm(process);
  return process.is_alive;
}

// On several hosts now and then more than a process fails, and two hosts at once.
void ChangingJob::harm(Process& process) {
  Process* victim = &process;
  if (faults_.one_in(3)) victim = faults_.pick(processes_).get();
  const std::uint64_t kind = has_conductor() ? faults_.below(job_.restart.times > 0 ? 12 : 40) : 4;
  if (kind > 3) return die(*victim, SIGKILL);
  harm(*victim->node, kind);
  if (faults_.one_in(5)) harm(*faults_.pick(processes_)->node, faults_.below(4));
}

void ChangingJob::harm(Node& node, std::uint64_t kind) {
  is_host_lost_ = true;
  died_early_ = died_early_ || !have_all_run();
  if (kind == 0) kill_agent(node);
  if (kind == 1) kill_guardian(node);
  if (kind == 2) power_off(node);
  if (kind == 3) cut(node);
}

bool ChangingJob::have_all_run() const {
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank)
    if (!run_.contains(rank)) return false;
  return true;
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
  died_early_ = died_early_ || !have_all_run();
  const bool is_missed = !process.has_left && !process.has_finalized;
  is_killed_late_ = is_killed_late_ || !is_missed;
  if (is_missed && process.node->is_idle() && !is_unwanted(process))
    expect_told(process, process.node->is_well ? told_ns : loss_told_ns);
  schedule_.after(random_.skewed(20 * ms),
                  [this, &process, wait_status] { end(process, wait_status); });
}

bool ChangingJob::is_unwanted(const Process& process) {
  return process.node->guardian->ranks()[process.slot()].is_unwanted;
}

void ChangingJob::end(Process& process, int wait_status) {
  Node& node = *process.node;
  any_ended_well_ = any_ended_well_ || (process.is_alive && process.has_finalized);
  process.is_alive = false;
  is_killed_late_ = is_killed_late_ || (wait_status == SIGKILL && is_unwanted(process));
  if (schedule_.now() >= node.silent_at) return;
  deliver(process);
  handle(node, RankEnded{process.slot(),
                         wait_status,
                         {node.wire->state(process.slot()), "in a simulation"},
                         OomWatch::Finding::nothing,
                         node.wire->can_lose_ranks()});
}

void ChangingJob::join(Process& process) {
  if (!step(process, "asks to join")) return;
  send(process, [this, &process] {
    Node& node = *process.node;
    if (const Result<void> joined = node.wire->join(process.slot()); !joined)
      return fail(joined.error().text);
    if (!node.memory) node.memory = map_memory(*node.wire);
    process.has_joined = true;
    handle(node, RankJoined{process.slot(), process.pid});
    later(process, 20 * ms, [this, &process] { initialize(process); });
  });
}

// As Engine::create(): a process that replaces another one starts alone.
void ChangingJob::initialize(Process& process) {
  ControlPage& page = process.page();
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
  await(process, [this, &process] {
    if (!process.node->knows_all_nodes()) return false;
    if (process.deaths().awaits(Rank(process.rank)))
      begin_to_run(process);
    else
      meet_session(process);
    return true;
  });
}

void ChangingJob::meet_session(Process& process) {
  process.syncs = 1;
  await(process, [this, &process] {
    for (const std::uint32_t rank : process.world->ranks)
      if (!current_.contains(rank) || current_[rank]->syncs < 1)
        return has_dead(process) ? begin_to_run(process), true : false;
    return pass_first_sync(process), true;
  });
}

void ChangingJob::pass_first_sync(Process& process) {
  process.syncs = 2;
  if (!step(process, "has compared its facts")) return;
  await(process, [this, &process] {
    for (const std::uint32_t rank : process.world->ranks)
      if (current_[rank]->syncs < 2 && !has_dead(process)) return false;
    return begin_to_run(process), true;
  });
}

void ChangingJob::begin_to_run(Process& process) {
  const bool is_alone = process.deaths().awaits(Rank(process.rank));
  process.syncs = 2;
  ControlPage& page = process.page();
  page.state.store(RankState::running, std::memory_order_release);
  run_.insert(process.rank);
  process.has_run = true;
  if (is_alone) process.deaths().begin_to_run(Rank(process.rank));
  process.known = process.node->memory->header().deaths;
  page.heeded.store(process.known, std::memory_order_release);
  wake_all();
  if (!step(process, "runs")) return;
  if (is_alone || process.session.first != 0) tell_arrival(process);
  if (process.is_alive) go_on(process);
}

void ChangingJob::tell_arrival(Process& process) {
  if (!has_conductor()) return;
  send(process, [this, &process] { handle(*process.node, RankArrived{process.slot()}); });
  step(process, "tells that it runs");
}

// A death of a member of its world since that was made.
bool ChangingJob::has_dead(const Process& process) const {
  const DeathList deaths = process.deaths();
  return std::ranges::any_of(process.world->ranks, [&](std::uint32_t rank) {
    return deaths.first_death(Rank(rank), process.world->made_at) != 0;
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
  process.asks = true;
  process.answer.reset();
  const auto more = static_cast<std::uint32_t>(random_.between(1, 3));
  send(process, [this, &process, more] {
    handle(*process.node,
           RanksWanted{.asker = process.slot(), .ranks = more, .command = {}, .path = {}});
  });
  await(process, [this, &process, more] {
    if (!process.answer) return false;
    process.asks = false;
    const std::uint32_t first = process.answer->first;
    for (std::uint32_t rank = first; !process.answer->is_refused && rank < first + more; ++rank)
      if (!has_begun(*process.node, rank) && !process.deaths().has(Rank(rank))) return false;
    if (step(process, "has its answer")) update(process);
    return true;
  });
}

// See LateRanks.
bool ChangingJob::has_begun(const Node& node, std::uint32_t rank) const {
  if (rank < job_.ranks()) return true;
  if (node.guardian->ranks().local(rank))
    return node.wire->state(rank - node.first()) >= RankState::running;
  return node.memory->death(Rank(rank)).has_joined != 0;
}

// A rank that is alone stays.
void ChangingJob::leave_job(Process& process) {
  const auto living = std::ranges::count_if(current_, [](const auto& each) {
    return each.second->is_alive && !each.second->has_left && !each.second->is_asked;
  });
  if (living < 2 && !process.is_asked) return update(process);
  if (!step(process, "leaves")) return;
  process.has_left = true;
  send(process, [this, &process] { handle(*process.node, RankLeft{process.slot()}); });
  process.page().state.store(RankState::finalized, std::memory_order_release);
  later(process, 10 * ms, [this, &process] { end(process, exited(0)); });
}

void ChangingJob::finish(Process& process) {
  process.has_finalized = true;
  process.page().state.store(RankState::finalized, std::memory_order_release);
  if (!step(process, "has finalized")) return;
  later(process, 10 * ms, [this, &process] { end(process, exited(0)); });
}

}  // namespace gondwana::simulation
