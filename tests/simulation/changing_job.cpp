// The guardian of a ChangingJob, and the rules.
#include "simulation/changing_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <variant>

#include "core/mapping.hpp"
#include "simulation/changing_process.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

namespace {

constexpr Time end_ns = 100 * second;  // no job takes longer
constexpr Time tick_ns = 20 * ms;
constexpr Time notice_ns = 100 * ms;  // see Guardian
constexpr Time told_ns = 500 * ms;
constexpr std::uint32_t first_user = protocol::max_ranks;
constexpr std::uint64_t tag = 0x5eed;

NodeShare share_of(const Job& job) {
  NodeShare share = NodeShare::whole(job.ranks());
  share.max_ranks = job.max_ranks.value_or(0);
  return share;
}

}  // namespace

ChangingJob::ChangingJob(std::uint64_t seed, bool logs)
    : random_(seed, 71), faults_(seed, 72), schedule_(seed + 29), logs_(logs) {
  draw();
}

ChangingJob::~ChangingJob() = default;

void ChangingJob::draw() {
  const auto ranks = static_cast<std::uint32_t>(random_.between(1, 5));
  job_.programs.emplace_back().ranks = ranks;
  job_.share = {.nodes = 1, .total = ranks};
  job_.on_death = OnDeath::go_on;
  if (!random_.one_in(3))
    job_.max_ranks = ranks + static_cast<std::uint32_t>(random_.between(1, 6));
  if (!random_.one_in(3))
    job_.restart = {.times = static_cast<std::uint32_t>(random_.skewed(30)),
                    .keeps_memory = random_.one_in(2)};
  last_turn_ = random_.between(1, 6);
  kills_ = faults_.skewed(12);
  until_kill_ = 1 + faults_.skewed(60);
}

void ChangingJob::start() {
  wire_.emplace(share_of(job_), tag, Environment{}, OnDeath::go_on, job_.restart.replacement());
  guardian_.emplace(job_, "host", schedule_.now());
  numbers_ = job_.ranks();
  for (std::uint32_t rank = 0; rank < numbers_; ++rank) start_process(rank, {0, numbers_});
  draw_requests();
  schedule_.after(tick_ns, [this] { tick(); });
}

void ChangingJob::draw_requests() {
  const std::uint64_t requests = random_.skewed(4);
  for (std::uint64_t i = 0; i < requests; ++i)
    schedule_.after(random_.skewed(800) * ms, [this] { ask_as_user(); });
  if (faults_.one_in(20)) schedule_.after(faults_.skewed(800) * ms, [this] { kill_launcher(); });
}

PartReport ChangingJob::run() {
  start();
  while (report_.wrong.empty() && schedule_.now() < Schedule::beginning + end_ns)
    if (!schedule_.run_next()) break;
  if (report_.wrong.empty()) judge_end();
  report_.time = schedule_.now() - Schedule::beginning;
  return std::move(report_);
}

// All arenas are the same memory: the job uses only what the ranks of a node share besides.
void ChangingJob::map_memory() {
  static const UniqueFd arena = *create_memfd("simulated-arena", wire_->plan().arena_size());
  memory_ = *NodeMemory::attach(
      wire_->plan(), wire_->control(), std::nullopt,
      [](std::uint32_t) -> Result<UniqueFd> { return UniqueFd(::dup(arena.get())); });
}

void ChangingJob::handle(const NodeEvent& event) {
  if (is_over_) return;
  const bool was_idle = guardian_->end().is_idle();
  const NodeActions actions = guardian_->handle(event, schedule_.now());
  if (was_idle && !guardian_->end().is_idle()) judge_begin_of_end();
  for (const NodeAction& action : actions) perform(action);
}

void ChangingJob::perform(const NodeAction& action) {
  if (const auto* death = std::get_if<TellDeath>(&action)) announce(*death);
  if (const auto* add = std::get_if<AddRanks>(&action)) add_ranks(*add);
  if (const auto* no = std::get_if<RefuseRanks>(&action)) answer(no->asker, no->reason);
  if (const auto* leave = std::get_if<AskToLeave>(&action)) ask_to_leave(leave->rank);
  if (const auto* user = std::get_if<AnswerUser>(&action)) answer(user->asker, user->text);
  if (const auto* said = std::get_if<Said>(&action))
    log([&] { return "the launcher: " + said->sentence; });
  if (const auto* again = std::get_if<RestartRank>(&action)) {
    awaited_.push_back(again->rank);
    awaited_until_ = schedule_.now() + notice_ns;
    schedule_.after(ms, [this] { start_again(); });
  }
  if (std::holds_alternative<SignalAll>(action)) kill_all();
  if (std::holds_alternative<LookAtRanks>(action)) {
    RanksSeen seen{.states = {}, .others_can_continue = wire_->can_lose_ranks()};
    for (std::uint32_t rank = 0; rank < numbers_; ++rank) seen.states.push_back(wire_->state(rank));
    handle(seen);
  }
}

void ChangingJob::tick() {
  handle(Tick{});
  const auto living = std::ranges::count_if(processes_, [](auto& one) { return one->is_alive; });
  if (!guardian_->end().is_idle())
    handle(DescendantsSeen{living != 0, static_cast<std::size_t>(living), {}});
  is_over_ = guardian_->end().ending().is_over();
  if (!is_over_) schedule_.after(tick_ns, [this] { tick(); });
}

void ChangingJob::start_process(std::uint32_t rank, const Session& session) {
  const std::uint32_t incarnation = current_.contains(rank) ? current_[rank]->incarnation + 1 : 0;
  const auto pid = static_cast<pid_t>(100 + processes_.size());
  Process& process = *processes_.emplace_back(std::make_unique<Process>(
      Process{.rank = rank, .incarnation = incarnation, .pid = pid, .session = session}));
  current_[rank] = &process;
  handle(RankStarted{rank, pid});
  if (guardian_->ranks()[rank].incarnation != incarnation)
    fail(fmt::format("the launcher counts process {} of rank {} as number {}", incarnation, rank,
                     guardian_->ranks()[rank].incarnation));
  if (is_over_) fail(fmt::format("rank {} is started after the end", rank));
  if (!step(process, "starts")) return;
  later(process, 50 * ms, [this, &process] { join(process); });
}

void ChangingJob::add_ranks(const AddRanks& add) {
  const Session& session = add.session;
  if (session.first != numbers_ || session.end() > *job_.max_ranks)
    fail(fmt::format("new ranks have the numbers {} to {}, and {} ranks have a number",
                     session.first, session.end() - 1, numbers_));
  const Result<void> added = wire_->add(session);
  if (added) numbers_ = session.end();
  const std::uint32_t started = !added ? 0
                                : faults_.one_in(10)
                                    ? static_cast<std::uint32_t>(faults_.below(session.ranks))
                                    : session.ranks;
  for (std::uint32_t i = 0; i < started; ++i) {
    wire_->begin_session(session.first + i, session);
    start_process(session.first + i, session);
  }
  if (started == session.ranks) return answer(add.asker, "");
  numbers_ = session.end();
  fails_to_start_ = true;
  handle(RanksFailed{session});
  fails_to_start_ = false;
  for (std::uint32_t i = 0; i < started; ++i) die(*current_[session.first + i], SIGKILL);
  answer(add.asker, "no processes");
}

// See Guardian::start_again().
void ChangingJob::start_again() {
  if (awaited_.empty() || is_over_) return;
  const bool ends = !guardian_->end().is_idle();
  std::vector<bool> absent;
  for (std::uint32_t rank = 0; rank < numbers_; ++rank)
    absent.push_back(!guardian_->is_there(rank));
  if (!ends && !wire_->has_told(absent) && schedule_.now() < awaited_until_)
    return schedule_.after(ms, [this] { start_again(); });
  for (const std::uint32_t rank : std::exchange(awaited_, {})) {
    if (ends || faults_.one_in(30)) {
      handle(NotRestarted{rank, ends ? "" : "no processes"});
      continue;
    }
    ++restarts_;
    judge_renewal(rank);
    if (const Result<void> renewed = wire_->renew(rank); !renewed) fail(renewed.error().text);
    start_process(rank, {0, numbers_});
  }
}

void ChangingJob::announce(const TellDeath& death) {
  log([&] {
    return fmt::format("process {} of rank {} counts as {}", death.dead.incarnation,
                       death.dead.rank,
                       death.how == DeathKind::leave            ? "gone"
                       : death.how == DeathKind::replaced_death ? "dead and replaced"
                                                                : "dead");
  });
  const auto found = current_.find(death.dead.rank);
  if (death.how != DeathKind::leave && !fails_to_start_ && found != current_.end() &&
      found->second->is_alive)
    fail(fmt::format("rank {} counts as dead, and lives", death.dead.rank));
  wire_->announce_death(death.dead, death.how);
  for (const auto& process : processes_) {
    if (!process->is_alive || !process->has_joined) continue;
    const Time delay = faults_.one_in(40) ? 300 * ms : random_.skewed(5 * ms);
    schedule_.after(delay, [this, &one = *process] {
      if (!one.is_alive || wire_->state(one.rank) != RankState::running) return;
      one.known = memory_->header().deaths;
      memory_->page(Rank(one.rank)).heeded.store(one.known);
    });
  }
  wake_all();
}

void ChangingJob::answer(std::uint32_t asker, const std::string& refusal) {
  if (asker >= first_user) {
    if (std::exchange(requests_[asker], true))
      fail(fmt::format("the request {} is answered twice", asker));
    return;
  }
  current_[asker]->answer = refusal;
  wake_all();
}

void ChangingJob::ask_to_leave(std::uint32_t rank) {
  Process& process = *current_[rank];
  log([&] { return fmt::format("rank {} is asked to leave", rank); });
  const bool handles = wire_->state(rank) == RankState::running && random_.one_in(2);
  if (handles)
    process.is_asked = true;
  else
    die(process, SIGTERM);
}

void ChangingJob::kill_all() {
  for (const auto& process : processes_) die(*process, SIGKILL);
}

void ChangingJob::ask_as_user() {
  if (is_over_ || !wire_->anybody_joined()) return;
  const auto asker = static_cast<std::uint32_t>(first_user + requests_.size());
  requests_[asker] = false;
  if (random_.one_in(2))
    return handle(RanksWanted{.asker = asker,
                              .ranks = static_cast<std::uint32_t>(random_.between(1, 3)),
                              .command = {},
                              .path = {}});
  RanksUnwanted unwanted{asker, {}, wire_->can_lose_ranks()};
  for (std::uint32_t rank = 0; rank <= numbers_; ++rank)
    if (random_.one_in(3)) unwanted.ranks.push_back(rank);
  handle(unwanted);
}

void ChangingJob::kill_launcher() {
  log([] { return "the launcher dies"; });
  launcher_is_dead_ = true;
  handle(LauncherLost{"the launcher is gone"});
}

// Rules.

void ChangingJob::expect_told(const Process& process) {
  schedule_.after(told_ns, [this, dead = DeadRank{process.rank, process.incarnation}] {
    if (is_over_ || !guardian_->end().is_idle() || DeathList(*memory_).has(dead)) return;
    fail(fmt::format("nobody is told that process {} of rank {} has died", dead.incarnation,
                     dead.rank));
  });
}

void ChangingJob::judge(std::map<std::vector<std::uint64_t>, Agreed>& known,
                        std::vector<std::uint64_t> which, const Agreed& agreed) {
  const auto [first, is_new] = known.try_emplace(std::move(which), agreed);
  if (first->second == agreed) return;
  fail(fmt::format("ranks disagree: members {} after {} deaths, and {} after {}",
                   fmt::join(first->second.members, ","), first->second.deaths,
                   fmt::join(agreed.members, ","), agreed.deaths));
}

// Words and lines of a number are never used with the same epoch again, by no process of a rank.
void ChangingJob::judge_number(Process& process, std::uint32_t number, std::uint64_t epoch) {
  std::uint64_t& last = epochs_[{process.rank, number}];
  if (epoch < last)
    fail(fmt::format("team {} of rank {} begins at {}, and was at {} before", number, process.rank,
                     epoch, last));
  last = epoch;
}

// Calls of a process that does not know of the death may still write to the memory.
void ChangingJob::judge_renewal(std::uint32_t rank) {
  if (schedule_.now() >= awaited_until_) return;
  const std::uint32_t death = memory_->death(Rank(rank)).number;
  for (const auto& process : processes_)
    if (process->is_alive && wire_->state(process->rank) == RankState::running &&
        process->known < death && process->has_joined)
      fail(fmt::format("the memory of rank {} is emptied, and rank {} does not know of its death",
                       rank, process->rank));
}

void ChangingJob::judge_begin_of_end() {
  log([] { return "the job ends"; });
  const bool any_goes_on = std::ranges::any_of(processes_, [](const auto& process) {
    return process->is_alive && !process->has_left && !process->has_finalized;
  });
  if (any_goes_on && !may_end()) fail("the job ends, and could go on");
}

void ChangingJob::judge_end() {
  if (!is_over_) fail("the job does not end");
  for (const auto& process : processes_)
    if (process->is_alive) fail(fmt::format("rank {} waits forever", process->rank));
  for (const auto& [request, is_answered] : requests_)
    if (!is_answered) fail(fmt::format("the request {} is not answered", request));
  if (restarts_ > job_.restart.times)
    fail(fmt::format("{} restarts, and {} are allowed", restarts_, job_.restart.times));
  if (may_end()) return;
  const int status = guardian_->end().outcome().of_job();
  if (any_ended_well_ && !is_killed_late_ && status != 0)
    fail(fmt::format("the job has the status {}, and ranks have finalized", status));
}

void ChangingJob::fail(const std::string& wrong) {
  if (!report_.wrong.empty()) return;
  log([&] { return "WRONG: " + wrong; });
  report_.wrong = wrong;
}

}  // namespace gondwana::simulation
