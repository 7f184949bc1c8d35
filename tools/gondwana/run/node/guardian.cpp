#include "run/node/guardian.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>
#include <variant>

#include "base/exit_status.hpp"
#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "core/process_stat.hpp"
#include "run/command_line/rank_variable.hpp"
#include "run/io/final_output.hpp"
#include "run/io/next_time.hpp"
#include "run/node/trace_collection.hpp"
#include "run/overloaded.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t send_again_ns = 1'000'000;
constexpr std::uint64_t notice_ns = 100'000'000;  // in which ranks notice a death

// Whether the process handles the signal; false if that is unknown.
bool catches(pid_t pid, int signal) {
  return (status_of(pid, "SigCgt:", 16).value_or(0) >> (signal - 1) & 1) != 0;
}

NodeShare node_share(const Job& job) {
  const Share& share = job.share;
  if (share.nodes <= 1) {
    NodeShare whole = NodeShare::whole(job.ranks());
    whole.max_ranks = job.max_ranks.value_or(0);
    return whole;
  }
  return {job.ranks(), share.first, share.node,      share.nodes,
          share.total, 0,           share.max_total, share.spare_nodes};
}

std::string on_host(const Job& job) {
  return job.share.has_conductor() ? fmt::format(" on host {}", host_name().data()) : "";
}

}  // namespace

Guardian::Guardian(const Job& job, SweeperLink sweeper, UniqueFd orders, Poller poller)
    : job_(job),
      sweeper_(std::move(sweeper)),
      poller_(std::move(poller)),
      events_(poller_, std::move(orders)),
      streams_(poller_, job),
      wire_(node_share(job), job.share.tag, environment_of_ranks(job),
            job.on_death.value_or(OnDeath::end), job.restart.replacement()),
      decisions_(job, host_name().data(), monotonic_ns()),
      starter_(job),
      links_(poller_, wire_, decisions_, [this](const NodeEvent& event) { handle(event); }),
      agent_(job, poller_, wire_, streams_, starter_.descriptors(),
             [this](const NodeEvent& event) { handle(event); }),
      inspector_(wire_, decisions_),
      desk_(
          poller_,
          {.job_number = [this] { return wire_.anybody_joined() ? wire_.facts().job : 0; },
           .take = [this](std::uint32_t asker,
                          link::JobRequest&& request) { on_request(asker, std::move(request)); }}) {
}

int Guardian::run() {
  if (job_.share.joins_later())
    wire_.join_later(job_.share.session, job_.share.added_nodes, job_.share.is_replacement(),
                     job_.share.began_s);
  Result<void> started = starter_.prepare();
  if (started) started = watch_processes();
  if (started && streams_.uplink() != nullptr)
    started = streams_.uplink()->start(
        [this](Frame& order) { on_order(order); },
        [this](const std::string& sentence) { handle(LauncherLost{sentence}); });
  if (started && wire_.knows_changes(job_.share.past_changes)) started = start_ranks();
  if (const Result<void> open = desk_.open(); !open && job_.verbose)
    streams_.say(open.error().text);
  if (!started) handle(Failed{started.error(), exit_status(started.error().code)});
  while (!decisions_.end().ending().is_over()) {
    poller_.wait(next_timeout_ms());
    step();
  }
  return finish();
}

Result<void> Guardian::watch_processes() {
  Result<void> started = events_.start(
      {.on_signal = [this](int signal) { handle(SignalCame{signal}); },
       .on_launcher_lost =
           [this] {
             handle(LauncherLost{
                 fmt::format("the launcher{} was killed; its ranks are ended", on_host(job_))});
           },
       .on_child_ended = [this](pid_t pid, int status) { on_child_ended(pid, status); }});
  if (!started) return started;
  // A pipe without a reader reports an error, and no other event.
  return poller_.watch(sweeper_.descriptor(), 0, [this] {
    poller_.forget(sweeper_.descriptor());
    handle(SweeperLost{sweeper_.pid()});
  });
}

void Guardian::on_order(Frame& order) {
  if (const auto* end = std::get_if<End>(&order)) on_other_host_end(*end);
  if (const auto* left = std::get_if<Left>(&order)) handle(*left);
  if (const auto* ended = std::get_if<AllEnded>(&order)) handle(*ended);
  if (auto* dead = std::get_if<DeadRanks>(&order)) {
    const bool can_continue = can_lose(*dead);
    if (dead->lost_node != DeadRanks::no_node) wire_.announce_loss(dead->lost_node);
    const bool waited = !wire_.knows_changes(job_.share.past_changes);
    handle(DeathsTold{std::move(*dead), can_continue});
    if (waited) start_late_ranks();
  }
  if (const auto* shrunk = std::get_if<Shrunk>(&order))
    wire_.announce_shrink(shrunk->decision, shrunk->ranks);
  if (const auto* runs = std::get_if<RankRuns>(&order)) wire_.announce_replacement(*runs);
  on_growth(order);
  if (const auto* input = std::get_if<Input>(&order)) streams_.add_input(input->text);
  if (auto* update = std::get_if<NodeRows>(&order)) agent_.take(std::move(update->rows));
  if (const auto* signal = std::get_if<Signal>(&order)) {
    const auto number = static_cast<int>(signal->number);
    if (events_.counts(number, ProcessEvents::Way::from_conductor))
      handle(SignalCame{number, true});
  }
}

Result<void> Guardian::start_ranks() {
  std::uint32_t rank = 0;
  for (const Program& program : job_.programs) {
    EnvironmentBlock environment = starter_.environment_of(program, job_.share.size());
    for (std::uint32_t i = 0; i < program.ranks; ++i, ++rank)
      if (Result<void> done = start_rank_of(program, environment, rank); !done) return done;
  }
  return {};
}

Result<void> Guardian::start_rank_of(const Program& program, EnvironmentBlock& environment,
                                     std::uint32_t rank) {
  const std::uint32_t global = decisions_.ranks().global(rank);
  // The former process may have read a part of the input.
  const RankRecord& record = decisions_.ranks()[rank];
  const bool is_first = !record.is_awaited && record.incarnation == 0;
  Result<UniqueFd> input = is_first ? streams_.open_input(global) : Streams::open_nothing(global);
  if (!input) return input.error();
  Result<UniqueFd> output = streams_.open_output(global, Standard::output);
  if (!output) return output.error();
  Result<UniqueFd> error = streams_.open_output(global, Standard::error);
  if (!error) return error.error();
  Result<UniqueFd> join = links_.open(rank);
  if (!join) return join.error();
  const Result<pid_t> pid =
      starter_.start(program, environment, rank,
                     {*std::move(input), *std::move(output), *std::move(error), *std::move(join)});
  if (!pid) return pid.error();
  sweeper_.add(*pid);
  descendants_.add_group(*pid);
  handle(RankStarted{rank, *pid});
  if (job_.verbose)
    streams_.say(fmt::format("rank {}{} is pid {}: {}", global, on_host(job_), *pid,
                             fmt::join(program.words, " ")));
  if (job_.binding.is_reported) streams_.say(starter_.describe_binding(rank));
  return {};
}

// Other children are orphans of the ranks, which only need to be reaped.
void Guardian::on_child_ended(pid_t pid, int wait_status) {
  if (agent_.on_child_ended(pid, wait_status)) return;
  if (const auto rank = decisions_.ranks().find(pid)) on_rank_ended(*rank, wait_status);
}

void Guardian::on_rank_ended(std::uint32_t rank, int wait_status) {
  // The last messages of the rank, such as the status of all ranks, are handled before its end.
  links_.read(rank);
  links_.forget(rank);
  const pid_t group = decisions_.ranks()[rank].pid;
  if (::kill(-group, 0) != 0 && errno == ESRCH) {
    sweeper_.remove(group);
    descendants_.remove_group(group);
  }
  streams_.on_rank_ended(decisions_.ranks().global(rank));
  handle(inspector_.end_of(rank, wait_status));
}

void Guardian::on_other_host_end(const End& end) {
  const int signal = static_cast<int>(end.status) - exit_signal_base;
  const bool is_signal = !end.is_on_purpose && (signal == SIGINT || signal == SIGTERM);
  handle(EndElsewhere{end, is_signal && !events_.counts(signal, ProcessEvents::Way::by_end)});
}

void Guardian::handle(const NodeEvent& event) {
  handle_at(event, monotonic_ns());
}

void Guardian::handle_at(const NodeEvent& event, std::uint64_t now) {
  for (const NodeAction& action : decisions_.handle(event, now)) perform(action);
}

void Guardian::perform(const NodeAction& action) {
  std::visit(
      Overloaded{[this](const Said& said) { streams_.say(said.sentence); },
                 [this](const Stopping& stopping) { streams_.tell(stopping); },
                 [this](const Left& left) { streams_.tell(left); },
                 [this](const RanksDied& died) { streams_.tell(died); },
                 [this](const RankRuns& runs) { streams_.tell(runs); },
                 [this](const RanksEnded& ended) { streams_.tell(ended); },
                 [this](const ShrinkEntry& entry) { streams_.tell(entry); },
                 [this](const WorldEntry& entry) { streams_.tell(entry); },
                 [this](const MoreWanted& wanted) { streams_.tell(wanted); },
                 [this](const LeaveWanted& wanted) { streams_.tell(wanted); },
                 [this](const Arrived& arrived) { streams_.tell(arrived); },
                 [this](Report report) { say(report); },
                 [this](const SignalRanks& signal) { signal_ranks(signal.number); },
                 [this](const AddRanks& add) { add_ranks(add); },
                 [this](const RanksStart& start) { answer(start.asker, start.first); },
                 [this](const RefuseRanks& refusal) {
                   answer(refusal.asker, Error{Errc::refused, refusal.reason});
                 },
                 [this](const AnswerUser& user) {
                   desk_.answer(user.asker, {user.is_refused, user.text});
                 },
                 [this](const AskToLeave& leave) { signal_rank(leave.rank, SIGTERM); },
                 [this](const TellDeath& death) { announce_death(death); },
                 [this](const RestartRank& dead) {
                   awaited_.push_back(dead.rank);
                   awaited_until_ns_ = monotonic_ns() + notice_ns;
                 },
                 [this](const AskRanks&) { ask_ranks(); },
                 [this](const EndOnPurpose& end) { announce_purposeful_end(end.status); },
                 [this](const SignalAll& signal) { descendants_.signal(signal.number); },
                 [this](const LookAtRanks&) { handle(inspector_.states()); },
                 [this](const LookForDeadlock&) {
                   if (const auto seen = inspector_.look_for_deadlock(job_.share.nodes <= 1))
                     handle(*seen);
                 },
                 [this](const LookAtStarter& starter) {
                   const pid_t pid = decisions_.ranks()[starter.rank].pid;
                   handle(StarterSeen{starter.rank, processor_use_of(pid), wire_.can_lose_ranks()});
                 },
                 [this](const LookAtImage& image) { links_.check_image(image.rank, image.pid); },
                 [this](const NeedAgent&) { agent_.need(); },
                 [this](const ReleaseAgent&) { agent_.release(); }},
      action);
}

void Guardian::say(Report report) {
  const std::string text = inspector_.describe(report, [this] { return events_.hold(); });
  if (!text.empty()) streams_.say(text);
}

void Guardian::signal_ranks(int signal) const {
  const Admission& ranks = decisions_.ranks();
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].alive) ::kill(-ranks[rank].pid, signal);
}

// A stopped process cannot handle the signal.
void Guardian::signal_rank(std::uint32_t rank, int signal) const {
  const pid_t group = decisions_.ranks()[rank].pid;
  ::kill(-group, signal);
  ::kill(-group, SIGCONT);
}

// Other processes of a rank may handle the signal in their own way.
void Guardian::signal_programs(int signal) const {
  const Admission& ranks = decisions_.ranks();
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    if (decisions_.is_there(rank) && ranks[rank].joined) ::kill(ranks[rank].program, signal);
}

void Guardian::ask_ranks() const {
  const Admission& ranks = decisions_.ranks();
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].alive && catches(ranks[rank].pid, SIGUSR1)) ::kill(-ranks[rank].pid, SIGUSR1);
}

void Guardian::announce_purposeful_end(int status) {
  wire_.announce_purposeful_end(status);
  signal_ranks(SIGURG);  // see catch_end_signal
}

void Guardian::announce_death(const TellDeath& death) {
  wire_.announce_death(death.dead, death.how);
  signal_programs(SIGURG);  // see catch_end_signal
}

void Guardian::step() {
  links_.send_again();
  agent_.send_again();
  streams_.step(monotonic_ns());
  if (streams_.failure() != 0) handle(OutputFailed{streams_.failure()});
  events_.deliver_held();
  start_again();
  handle(Tick{});
  const Ending& ending = decisions_.end().ending();
  const std::uint64_t now = monotonic_ns();
  if (!ending.is_idle()) handle_at(descendants_.observe(ending, now), now);
}

int Guardian::next_timeout_ms() const {
  NextTime next;
  next.consider(decisions_.next_ns());
  next.consider(streams_.next_ns());
  if (links_.waits() || agent_.waits() || !awaited_.empty())
    next.consider(monotonic_ns() + send_again_ns);
  return next.timeout_ms();
}

int Guardian::finish() {
  const NodeEnd& end = decisions_.end();
  const Outcome& outcome = end.outcome();
  if (end.ending().state() == Ending::State::given_up)
    streams_.say(fmt::format("processes that cannot be killed are left: {}",
                             fmt::join(descendants(), ", ")));
  if (const std::string absent = decisions_.describe_absent(); !absent.empty())
    streams_.say(absent);
  if (const std::string dead = decisions_.describe_dead(); !dead.empty()) streams_.say(dead);
  if (const std::string refused = desk_.describe_refused(); !refused.empty()) streams_.say(refused);
  if (job_.share.total > 1)
    for (const std::string& sentence : inspector_.describe_no_jobs(job_.programs))
      streams_.say(sentence);
  const int status = end.has_failed_elsewhere() ? exit_failure : outcome.status.value_or(0);
  if (!TraceCollection(job_, poller_, wire_, streams_).deliver(status)) handle(TraceFailed{});
  write_final_output([this] { return streams_.drain(); }, outcome, poller_);
  if (streams_.failure() != 0) handle(OutputFailed{streams_.failure()});
  streams_.drain();
  const int of_job = outcome.of_job();  // a launcher that is lost from here on changes nothing
  if (streams_.uplink() != nullptr) report_end(of_job);
  return of_job;
}

void Guardian::report_end(int status) {
  Uplink& uplink = *streams_.uplink();
  uplink.tell(Ended{static_cast<std::uint32_t>(status)});
  while (!uplink.output().flush() && !decisions_.end().outcome().has_lost_launcher) {
    poller_.wait(next_timeout_ms());
    uplink.step(monotonic_ns());
  }
}

}  // namespace gondwana::launch
