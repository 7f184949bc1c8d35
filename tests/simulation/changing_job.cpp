// The guardians of a ChangingJob.
#include "simulation/changing_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <variant>

#include "core/mapping.hpp"
#include "run/command_line/sharing.hpp"
#include "simulation/changing_process.hpp"
#include "simulation/plan.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

namespace {

constexpr Time notice_ns = 100 * ms;  // see Guardian
constexpr std::uint32_t first_user = protocol::max_ranks;

}  // namespace

// All arenas are the same memory: the job uses only what the ranks of a node share besides.
std::shared_ptr<NodeMemory> map_memory(const WireUp& wire) {
  static const UniqueFd arena = *create_memfd("simulated-arena", wire.plan().arena_size());
  return *NodeMemory::attach(
      wire.plan(), wire.control(), std::nullopt,
      [](std::uint32_t) -> Result<UniqueFd> { return UniqueFd(::dup(arena.get())); });
}

ChangingJob::ChangingJob(std::uint64_t seed, bool logs) : Hosts(seed, 71, logs), faults_(seed, 72) {
  draw();
}

ChangingJob::~ChangingJob() = default;

void ChangingJob::draw() {
  const auto hosts = static_cast<std::uint32_t>(random_.one_in(2) ? 1 : random_.between(2, 4));
  const auto each = static_cast<std::uint32_t>(random_.between(1, hosts == 1 ? 5 : 3));
  const std::uint32_t ranks = hosts * each;
  job_.programs.emplace_back().ranks = ranks;
  job_.on_death = OnDeath::go_on;
  if (!random_.one_in(3))
    job_.max_ranks = ranks + static_cast<std::uint32_t>(random_.between(1, 6));
  if (!random_.one_in(3))
    job_.restart = {.times = static_cast<std::uint32_t>(random_.skewed(30)),
                    .keeps_memory = random_.one_in(2)};
  for (std::uint32_t host = 0; host < hosts; ++host)
    job_.hosts.push_back({name_of_host(host), each});
  parts_ = share_out(job_);
  for (Job& part : parts_) {
    part.share.tag = hosts > 1 ? tag_of_job : 0;
    part.share.peer_timeout_s = peer_timeout_s;
  }
  last_turn_ = random_.between(1, 6);
  kills_ = faults_.skewed(12);
  until_kill_ = 1 + faults_.skewed(60);
}

void ChangingJob::start() {
  if (parts_.size() > 1) begin_conductor(job_, parts_);
  numbers_ = job_.ranks();
  for (const Job& part : parts_) {
    Node& node = add_node(part);
    if (has_conductor()) start_connection(node);
    start_node(node);
  }
  draw_requests();
  tick_all();
}

void ChangingJob::draw_requests() {
  const std::uint64_t requests = random_.skewed(4);
  for (std::uint64_t i = 0; i < requests; ++i)
    schedule_.after(random_.skewed(800) * ms, [this] { ask_as_user(); });
  if (faults_.one_in(20)) schedule_.after(faults_.skewed(800) * ms, [this] { kill_launcher(); });
}

void ChangingJob::perform(HostNode& host, const NodeAction& action) {
  Node& node = own(host);
  if (const auto* death = std::get_if<TellDeath>(&action)) announce(node, *death);
  if (const auto* more = std::get_if<AddRanks>(&action)) add_ranks(node, *more);
  if (const auto* begun = std::get_if<RanksStart>(&action))
    answer(node, {begun->asker, begun->first, false, ""});
  if (const auto* no = std::get_if<RefuseRanks>(&action))
    answer(node, {no->asker, 0, true, no->reason});
  if (const auto* leave = std::get_if<AskToLeave>(&action)) ask_to_leave(node, leave->rank);
  if (const auto* user = std::get_if<AnswerUser>(&action))
    answer(node, {user->asker, 0, user->is_refused, user->text});
  if (std::holds_alternative<NeedAgent>(action))
    if (const Result<void> open = node.known->open(node.wire->nodes()); !open)
      fail(open.error().text);
  if (const auto* again = std::get_if<RestartRank>(&action)) {
    node.awaited.push_back(again->rank);
    node.awaited_until = schedule_.now() + notice_ns;
    schedule_.after(ms, [this, &node] { start_again(node); });
  }
}

void ChangingJob::obey(HostNode& host, const Frame& order) {
  Node& node = own(host);
  if (!node.guardian || node.is_over) return;
  if (const auto* dead = std::get_if<DeadRanks>(&order)) obey_deaths(node, *dead);
  if (const auto* shrunk = std::get_if<Shrunk>(&order))
    node.wire->announce_shrink(shrunk->decision, shrunk->ranks);
  if (const auto* end = std::get_if<End>(&order)) handle(node, EndElsewhere{*end});
  if (const auto* ended = std::get_if<AllEnded>(&order)) handle(node, *ended);
  if (const auto* runs = std::get_if<RankRuns>(&order)) announce_replacement(node, *runs);
  if (const auto* rows = std::get_if<NodeRows>(&order)) {
    for (const NodeRow& row : rows->rows) node.rows.insert(row.node);
    if (const Result<void> taken = node.known->take(rows->rows); !taken) fail(taken.error().text);
  }
  obey_growth(node, order);
  wake_all();
}

void ChangingJob::obey_growth(Node& node, const Frame& order) {
  if (const auto* grown = std::get_if<Grown>(&order)) node.wire->announce_growth(*grown);
  if (const auto* arrived = std::get_if<Arrived>(&order))
    node.wire->announce_arrival(arrived->rank);
  if (const auto* decision = std::get_if<WorldDecision>(&order))
    node.wire->announce_world(*decision);
  if (const auto* dismissed = std::get_if<Dismissed>(&order)) handle(node, *dismissed);
  if (const auto* told = std::get_if<Answer>(&order)) handle(node, *told);
}

RanksSeen ChangingJob::look(HostNode& host) {
  const Node& node = own(host);
  RanksSeen seen{.states = {}, .others_can_continue = node.wire->can_lose_ranks()};
  for (std::uint32_t slot = 0; slot < node.size(); ++slot)
    seen.states.push_back(node.wire->state(slot));
  return seen;
}

std::uint32_t ChangingJob::count_living(const HostNode& node) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      processes_, [&](const auto& one) { return one->node == &node && one->is_alive; }));
}

void ChangingJob::add_ranks(Node& node, const AddRanks& more) {
  const Session& session = more.session;
  if (session.first != numbers_ || session.end() > *job_.max_ranks)
    fail(fmt::format("new ranks have the numbers {} to {}, and {} ranks have a number",
                     session.first, session.end() - 1, numbers_));
  const Result<void> added = node.wire->add(session);
  if (added) numbers_ = session.end();
  const std::uint32_t started = !added ? 0
                                : faults_.one_in(10)
                                    ? static_cast<std::uint32_t>(faults_.below(session.ranks))
                                    : session.ranks;
  for (std::uint32_t i = 0; i < started; ++i) {
    node.wire->begin_session(session.first + i, session);
    start_process(node, session.first + i, session);
  }
  if (started == session.ranks) return answer(node, {more.asker, session.first, false, ""});
  numbers_ = session.end();
  fails_to_start_ = true;
  handle(node, RanksFailed{session});
  fails_to_start_ = false;
  for (std::uint32_t i = 0; i < started; ++i) die(*current_[session.first + i], SIGKILL);
  answer(node, {more.asker, 0, true, "no processes"});
}

// See Guardian::start_again().
void ChangingJob::start_again(Node& node) {
  if (node.awaited.empty() || node.is_over) return;
  const bool ends = !node.is_idle();
  std::vector<bool> absent;
  for (std::uint32_t slot = 0; slot < node.size(); ++slot)
    absent.push_back(!node.guardian->is_there(slot));
  if (!ends && !node.wire->has_told(absent) && schedule_.now() < node.awaited_until)
    return schedule_.after(ms, [this, &node] { start_again(node); });
  for (const std::uint32_t slot : std::exchange(node.awaited, {})) {
    if (node.is_over) return;
    if (ends || faults_.one_in(30)) {
      handle(node, NotRestarted{slot, ends ? "" : "no processes"});
      continue;
    }
    ++restarts_;
    judge_renewal(node, node.first() + slot);
    if (const Result<void> renewed = node.wire->renew(slot); !renewed) fail(renewed.error().text);
    const std::uint32_t ranks = node.memory->roster().size();
    start_process(node, node.first() + slot, {0, ranks});
  }
}

// The ranks of the node notice it by a signal, or by a call.
void ChangingJob::announce(Node& node, const TellDeath& death) {
  log([&] {
    return fmt::format("host {}: process {} of rank {} counts as {}", node.name(),
                       death.dead.incarnation, death.dead.rank,
                       death.how == DeathKind::leave            ? "gone"
                       : death.how == DeathKind::replaced_death ? "dead and replaced"
                                                                : "dead");
  });
  if (!has_conductor()) judge_change(last_change_ + 1, {death.dead, death.how});
  if (changes_[node.changes + 1] != RankDeath{death.dead, death.how})
    fail(fmt::format("host {} has another change {}", node.name(), node.changes + 1));
  node.changes += death.how == DeathKind::replaced_death ? 2 : 1;
  node.wire->announce_death(death.dead, death.how);
  for (const auto& process : processes_) {
    if (process->node != &node || !process->is_alive || !process->has_joined) continue;
    const Time delay = faults_.one_in(40) ? 300 * ms : random_.skewed(5 * ms);
    schedule_.after(delay, [&node, &one = *process] {
      if (!one.is_alive || node.wire->state(one.slot()) != RankState::running) return;
      one.known = node.memory->header().deaths;
      one.page().heeded.store(one.known);
    });
  }
  wake_all();
}

// A node that is added may be told after the death.
void ChangingJob::announce_replacement(Node& node, const RankRuns& runs) {
  const DeadRank& process = runs.process;
  judge_run(runs);
  const bool has_died = node.memory && DeathList(*node.memory).has(process);
  node.wire->announce_replacement(runs);
  if (has_died && !DeathList(*node.memory).has(Rank(process.rank)))
    fail(fmt::format("host {} is told that process {} of rank {} runs, and knows of its death",
                     node.name(), process.incarnation, process.rank));
}

void ChangingJob::answer(Node& node, const Answer& answer) {
  if (answer.asker >= first_user) {
    if (std::exchange(requests_[answer.asker], true))
      fail(fmt::format("the request {} is answered twice", answer.asker));
    return;
  }
  Process& asker = *node.processes[node.first() + answer.asker];
  if (asker.asks && asker.is_alive) asker.answer = answer;
  if (!asker.asks && asker.is_alive)
    fail(fmt::format("rank {} has asked for nothing, and gets an answer", asker.rank));
  wake_all();
}

void ChangingJob::ask_to_leave(Node& node, std::uint32_t slot) {
  Process& process = *node.processes[node.first() + slot];
  log([&] { return fmt::format("rank {} is asked to leave", process.rank); });
  const bool handles = node.wire->state(slot) == RankState::running && random_.one_in(2);
  if (handles)
    process.is_asked = true;
  else
    die(process, SIGTERM);
}

void ChangingJob::kill_ranks(HostNode& node) {
  for (const auto& process : processes_)
    if (process->node == &node) die(*process, SIGKILL);
}

void ChangingJob::ask_as_user() {
  Node& node = own(*random_.pick(nodes_));
  if (node.is_over || !node.guardian || !node.wire->anybody_joined()) return;
  const auto asker = static_cast<std::uint32_t>(first_user + requests_.size());
  requests_[asker] = false;
  expect_answer(node, asker);
  if (random_.one_in(2))
    return handle(node, RanksWanted{.asker = asker,
                                    .ranks = static_cast<std::uint32_t>(random_.between(1, 3)),
                                    .command = {},
                                    .path = {}});
  RanksUnwanted unwanted{asker, {}, node.wire->can_lose_ranks()};
  for (std::uint32_t rank = 0; rank <= numbers_; ++rank)
    if (random_.one_in(3)) unwanted.ranks.push_back(rank);
  handle(node, unwanted);
}

}  // namespace gondwana::simulation
