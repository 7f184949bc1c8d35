#include "simulation/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

#include "base/exit_status.hpp"
#include "run/io/next_time.hpp"
#include "run/overloaded.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

namespace {

constexpr Time grace_ns = 11 * second;       // for an end of the slowest kind
constexpr Time computing_ns = 190 * second;  // more, for processes that compute
constexpr Time unkillable_ns = 4 * second;   // more, for each that cannot be killed
constexpr Time agent_pause_ns = second;      // in which ranks may finalize without an agent
constexpr const char* deadlock = "no rank can go on: a rank has left, and the others wait";

}  // namespace

Node::Node(World& world, std::uint32_t number, Job job, Uplink uplink)
    : world_(world),
      number_(number),
      job_(std::move(job)),
      uplink_(std::move(uplink)),
      random_(world.random()),
      decisions_(job_, name(), world.now()),
      rules_(job_, name(), world.now()),
      loop_(world.schedule(), world.random(),
            {[this] { step(); }, [this] { return next(); },
             [this] { world_.fail("the guardian of host " + this->name() + " spins"); }}),
      parser_(job_.share.tag),
      heard_ns_(world.now()),
      sockets_(job_.ranks()),
      agent_life_(name()) {}

void Node::start() {
  if (uplink_.up != nullptr) {
    uplink_.down->listen([this] { loop_.post([this] { read_frames(); }); });
    tell(Hello{});
  }
  start_ranks();
  if (job_.share.nodes <= 1) world_.on_node_knows_all();
  loop_.post([] {});
}

void Node::start_ranks() {
  const HostPlan& plan = world_.plan().hosts[number_];
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank) {
    if (plan.no_fork == rank)
      return handle(Failed{{Errc::out_of_memory, "cannot start ./program"}});
    ranks_.push_back(std::make_unique<Rank>(world_, *this, rank, plan.ranks[rank]));
    handle(RankStarted{rank, ranks_[rank]->process().pid()});
  }
}

Process& Node::add_process(Process::Nature nature, bool is_child) {
  Process& process = *processes_.emplace_back(std::make_unique<Process>(
      world_.schedule(), world_.random(), world_.new_pid(), std::move(nature)));
  // Ranks and the agent have another handler; all others are orphans, which need to be reaped only.
  if (is_child) process.on_death = [this, &process] { loop_.post([&process] { process.reap(); }); };
  return process;
}

void Node::handle(const NodeEvent& event) {
  if (over_) return;
  const NodeBefore before(decisions_);
  if (const auto* signal = std::get_if<SignalCame>(&event)) count(*signal);
  const NodeActions actions = decisions_.handle(event, world_.now());
  look_at(event, before, actions);
  std::optional<Cause> cause = rules_.take_cause();
  // Elsewhere the conductor hears of it at the end.
  const std::optional<int> status = decisions_.end().outcome().status;
  if (uplink_.up == nullptr && !cause && !before.status && status)
    world_.ledger().settle(*status, world_.now());
  for (const NodeAction& action : actions) perform(action);
  if (!cause) return;
  check_truth(cause->begins, event);
  const auto add = [&world = world_, one = *std::move(cause)]() mutable {
    one.earliest = one.latest = world.now();
    world.ledger().add(std::move(one));
  };
  if (uplink_.up == nullptr) return std::decay_t<decltype(add)>(add)();
  if (link_open_) uplink_.up->mark(add);
}

// However many ways a signal takes, it counts once.
void Node::count(const SignalCame& signal) {
  Signals& seen = signals_[signal.number];
  if (++seen.counted > seen.sent + world_.count_of(signal.number))
    world_.fail(fmt::format("host {}: {} counts {} times, and was sent less often", name(),
                            name_of_signal(signal.number), seen.counted));
  const bool asks = signal.number == SIGINT || signal.number == SIGTERM;
  is_asked_again_ = is_asked_again_ || (asks && is_ending());
}

// Ranks that are asked to end have two seconds, unless the user asks again.
void Node::check_grace(int signal) {
  constexpr Time shortest_grace_ns = 2 * second;
  if (signal == SIGINT || signal == SIGTERM) asked_at_ = asked_at_.value_or(world_.now());
  if (signal != SIGKILL || std::exchange(kills_, true)) return;
  if (!is_asked_again_ && (!asked_at_ || world_.now() < *asked_at_ + shortest_grace_ns))
    world_.fail(fmt::format("host {}: ranks are killed before they had time to end", name()));
  // Now and then it is stopped then, and may believe that nothing has ended.
  if (const Time time = world_.plan().hosts[number_].stop_at_kill; time != 0) stop_guardian(time);
}

void Node::look_at(const NodeEvent& event, const NodeBefore& before, const NodeActions& actions) {
  if (const auto wrong = rules_.check(event, before, decisions_, actions, world_.now()))
    world_.fail(fmt::format("host {}: {}", name(), *wrong));
  const auto left =
      std::ranges::count_if(ranks_, [](const auto& rank) { return !rank->process().is_reaped(); });
  const bool is_start = std::holds_alternative<RankStarted>(event);
  if (!is_start && decisions_.ranks().alive() != static_cast<std::uint32_t>(left))
    world_.fail(fmt::format("host {}: {} ranks live, and the guardian counts {}", name(), left,
                            decisions_.ranks().alive()));
  if (before.is_idle && !decisions_.end().is_idle()) expect_end();
}

void Node::expect_end() {
  const auto computes = [](const RankPlan& rank) {
    return rank.runs || rank.course == Course::computes || rank.at_term == AtTerm::ends_later;
  };
  const auto& plans = world_.plan().hosts[number_].ranks;
  Time time = grace_ns;
  if (std::ranges::any_of(plans, computes)) time += computing_ns;
  for (const RankPlan& plan : plans) time += plan.unkillable != 0 ? unkillable_ns : 0;
  end_by_ = world_.now() + time;
  paused_before_end_ns_ = paused_ns_ - (std::max(paused_until_, world_.now()) - world_.now());
}

// Sentences whose truth only the whole shows.
void Node::check_truth(const std::string& sentence, const NodeEvent& event) {
  if (std::holds_alternative<RanksSeen>(event)) {
    if (sentence.find("node agent") != std::string::npos) {
      if (!agent_killed_) world_.fail("an agent is blamed that was not killed: " + sentence);
      if (world_.now() < agent_lost_at_ + agent_pause_ns)
        world_.fail("ranks had no time to finalize without their agent: " + sentence);
      return;
    }
    if (!world_.has_absent_rank(sentence))
      world_.fail("a rank is blamed that has joined: " + sentence);
  }
  const auto* seen = std::get_if<StarterSeen>(&event);
  if (seen != nullptr && ranks_[seen->rank]->program().is_alive())
    world_.fail("a program is blamed that lives: " + sentence);
}

void Node::perform(const NodeAction& action) {
  std::visit(
      Overloaded{
          [this](const launch::Said& said) { say(said.sentence); },
          [this](const Stopping& stopping) { tell(stopping); },
          [this](const Left& left) { tell(left); },
          [this](launch::Report /*report*/) {
            loop_.pause(world_.now() + random_.skewed(200 * ms));
          },
          [this](const SignalRanks& signal) {
            world_.log([&] {
              return fmt::format("host {}: {} to ranks", name(), name_of_signal(signal.number));
            });
            for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
              if (decisions_.ranks()[rank].alive) ranks_[rank]->signal_group(signal.number);
            check_grace(signal.number);
          },
          [](const AskRanks&) {},
          [this](const EndOnPurpose& end) { end_on_purpose(end.status); },
          [this](const SignalAll& signal) {
            world_.log([&] {
              return fmt::format("host {}: {} to all {} processes", name(),
                                 name_of_signal(signal.number), found_.size());
            });
            for (Process* process : found_) {
              if (signal.number == SIGKILL && process->is_deaf())
                world_.fail(process->name() + " is stopped and could not hear that it is to end");
              process->ask(signal.number);
            }
            check_grace(signal.number);
          },
          [this](const LookAtRanks&) {
            RanksSeen seen;
            for (const auto& rank : ranks_) seen.states.push_back(rank->state());
            handle(seen);
          },
          [this](const LookForDeadlock&) { perform_look_for_deadlock(); },
          [this](const LookAtStarter& starter) {
            const Process& process = ranks_[starter.rank]->process();
            handle(StarterSeen{starter.rank, {process.computes(), process.used_ns()}});
          },
          [this](const LookAtImage& image) { look_at_image(image.rank); },
          [this](const NeedAgent&) { need_agent(); },
          [this](const ReleaseAgent&) { release_agent(); },
          [this](const launch::AddRanks&) { world_.fail("a job grows that nobody asked to"); },
          [this](const launch::RanksStart&) { world_.fail("more ranks start elsewhere"); },
          [this](const launch::RefuseRanks&) { world_.fail("more ranks are refused"); },
          [this](const AskToLeave&) { world_.fail("a rank is asked to leave"); },
          [this](const AnswerUser&) { world_.fail("nobody has asked"); },
          [this](const RestartRank&) { world_.fail("a job that ends at a death starts a rank"); },
          [this](const TellDeath&) { world_.fail("a job that ends at a death tells of it"); },
          [this](const RanksDied&) { world_.fail("a job that ends at a death tells of it"); },
          [this](const RankRuns&) { world_.fail("a job that ends at a death starts a rank"); },
          [this](const RanksEnded&) { world_.fail("no rank is started again"); },
          [this](const ShrinkEntry&) { world_.fail("no rank shrinks a team"); },
          [this](const WorldEntry&) { world_.fail("no rank updates the world"); },
          [this](const MoreWanted&) { world_.fail("nobody wants more ranks"); },
          [this](const LeaveWanted&) { world_.fail("nobody wants ranks to leave"); },
          [this](const Arrived&) { world_.fail("no rank joins later"); }},
      action);
}

void Node::perform_look_for_deadlock() {
  const bool is_still = world_.is_still(still_at_);
  if (job_.share.nodes <= 1) {
    if (is_still) handle(DeadlockSeen{.any_leaves = world_.any_leaves(), .sentence = deadlock});
  } else if (is_still && world_.any_leaves() && world_.is_network_whole()) {
    handle(NobodyCanGoOn{deadlock});
  }
}

void Node::end_on_purpose(int status) {
  world_.log([&] { return fmt::format("host {}: ends on purpose with {}", name(), status); });
  for (const auto& rank : ranks_) rank->end_on_purpose(status);
}

DescendantsSeen Node::look_at_descendants() {
  DescendantsSeen seen;
  seen.any = std::ranges::any_of(processes_, [](const auto& one) { return !one->is_reaped(); });
  if (!seen.any || decisions_.end().ending().next_ns().value_or(world_.now() + 1) > world_.now())
    return seen;
  found_.clear();
  for (const auto& process : processes_) {
    if (process->is_reaped()) continue;
    found_.push_back(process.get());
    seen.use.any_runs = seen.use.any_runs || process->computes();
    seen.use.used_ns += process->used_ns();
  }
  seen.count = found_.size();
  return seen;
}

void Node::step() {
  const Time limit = Time{job_.share.peer_timeout_s} * second;
  if (uplink_.up != nullptr && link_open_ && limit != 0 && world_.now() >= heard_ns_ + limit &&
      !uplink_.down->has_unread())
    lose(fmt::format("the launcher was silent for {} s", job_.share.peer_timeout_s));
  if (output_failure_) handle(OutputFailed{*output_failure_});
  handle(Tick{});
  if (!decisions_.end().is_idle()) handle(look_at_descendants());
  if (decisions_.end().ending().is_over()) finish();
}

std::optional<Time> Node::next() const {
  NextTime next;
  next.consider(decisions_.next_ns());
  if (uplink_.up != nullptr && link_open_ && job_.share.peer_timeout_s != 0)
    next.consider(heard_ns_ + Time{job_.share.peer_timeout_s} * second);
  return next.ns();
}

void Node::tell(const Frame& frame) {
  if (!link_open_) return;
  if (const auto* stopping = std::get_if<Stopping>(&frame))
    world_.log([&] {
      return fmt::format("host {}: stopping with {}: \"{}\"", name(), stopping->status,
                         stopping->sentence);
    });
  uplink_.up->write(encode(frame, job_.share.tag));
}

void Node::read_frames() {
  if (!link_open_) return;
  auto item = uplink_.down->read(65536);
  if (!item) return;
  if (uplink_.down->has_unread()) loop_.post([this] { read_frames(); });
  if (item->is_end) return lose("the launcher is gone");
  heard_ns_ = world_.now();
  if (item->frame) return on_frame(world_.read(item->frame, job_.share.tag));
  parser_.add(item->bytes);
  while (link_open_) {
    Result<std::optional<Frame>> frame = parser_.next();
    if (!frame) return world_.fail("frames of the conductor are misread: " + frame.error().text);
    if (!*frame) return;
    on_frame(**frame);
  }
}

void Node::on_frame(const Frame& frame) {
  if (const auto* ping = std::get_if<Ping>(&frame)) return tell(Pong{ping->sent_ns, world_.now()});
  if (const auto* end = std::get_if<End>(&frame)) {
    world_.log(
        [&] { return fmt::format("host {}: hears of the end, status {}", name(), end->status); });
    const int signal = static_cast<int>(end->status) - exit_signal_base;
    const bool is_signal = !end->is_on_purpose && (signal == SIGINT || signal == SIGTERM);
    return handle(
        EndElsewhere{*end, is_signal && !heard_signals_.counts(signal, HeardSignals::Way::by_end)});
  }
  if (const auto* signal = std::get_if<Signal>(&frame)) {
    const int number = static_cast<int>(signal->number);
    if (heard_signals_.counts(number, HeardSignals::Way::from_conductor))
      handle(SignalCame{number, true});
    return;
  }
  if (const auto* left = std::get_if<Left>(&frame)) return handle(*left);
  if (std::holds_alternative<Input>(frame) || std::holds_alternative<Taken>(frame)) return;
  const auto* update = std::get_if<NodeRows>(&frame);
  if (update == nullptr) return lose("the launcher sent what it never sends");
  take(*update);
}

// Only rows that have changed are sent, and all of them at first.
void Node::take(const NodeRows& update) {
  const RowsSeen seen = world_.look_at(update);
  if (seen.lowest_epoch <= epoch_)
    world_.fail(fmt::format("host {} is told a row of epoch {}, and has rows of epoch {}", name(),
                            seen.lowest_epoch, epoch_));
  if (epoch_ == 0 && seen.nodes != job_.share.nodes)
    world_.fail(fmt::format("host {} is told the rows of {} nodes only", name(), seen.nodes));
  if (std::exchange(epoch_, seen.highest_epoch) == 0) world_.on_node_knows_all();
}

void Node::lose(const std::string& sentence) {
  world_.log([&] { return fmt::format("host {}: {}", name(), sentence); });
  link_open_ = false;
  handle(LauncherLost{sentence});
}

void Node::tell(std::uint32_t rank, protocol::GlobalExit exit) {
  sockets_[rank].push_back({0, exit});
  loop_.post([this, rank] { read_rank(rank); });
}

void Node::tell_join(std::uint32_t rank) {
  sockets_[rank].push_back({ranks_[rank]->program().pid(), {}});
  loop_.post([this, rank] { read_rank(rank); });
}

void Node::tell_leaving() {
  loop_.post([this] { handle(RankLeaves{}); });
}

void Node::read_rank(std::uint32_t rank) {
  while (!over_ && !sockets_[rank].empty()) {
    const Said said = sockets_[rank].front();
    sockets_[rank].pop_front();
    if (said.join == 0) {
      handle(said.exit);
      continue;
    }
    ranks_[rank]->hear_asked();
    if (said.join == ranks_[rank]->program().pid()) ranks_[rank]->on_joined();
    handle(RankJoined{rank, said.join});
  }
}

void Node::on_rank_died(std::uint32_t rank) {
  loop_.post([this, rank] { reap_rank(rank); });
}

void Node::reap_rank(std::uint32_t rank) {
  Rank& one = *ranks_[rank];
  if (one.process().is_reaped()) return;
  read_rank(rank);  // what it said last counts before how it ended
  one.process().reap();
  if (!is_ending() && one.process().wait_status() == 0) one.miss();
  handle(RankEnded{rank, one.process().wait_status(), {one.state(), "in a simulation"}});
}

void Node::on_program_died(std::uint32_t rank) {
  loop_.post([this, rank, pid = ranks_[rank]->program().pid(), state = ranks_[rank]->state()] {
    Rank& one = *ranks_[rank];
    if (one.process().is_reaped()) return;
    read_rank(rank);
    // The program that has joined last is watched.
    if (decisions_.ranks()[rank].program != pid) return;
    handle(ProgramLost{rank, pid, {state, "in a simulation"}});
    if (one.state() == RankState::joined || one.state() == RankState::running)
      expect_end_despite_shell(one);
  });
}

// What has started the program lives on, but does not compute.
void Node::expect_end_despite_shell(const Rank& rank) {
  constexpr Time limit = 4 * second;
  world_.schedule().after(limit, [this, &rank, paused = paused_ns_] {
    if (!over_ && !is_ending() && paused == paused_ns_ && !loop_.is_paused())
      world_.fail(rank.program().name() + " has ended under a shell, and the job does not end");
  });
}

// A program has ended, or has been replaced by another.
void Node::on_image_lost(std::uint32_t rank) {
  loop_.post([this, rank] {
    if (!ranks_[rank]->process().is_reaped()) look_at_image(rank);
  });
}

void Node::look_at_image(std::uint32_t rank) {
  const Rank& one = *ranks_[rank];
  const bool takes_part = one.state() == RankState::joined || one.state() == RankState::running;
  handle(ImageLost{rank, one.program().pid(), takes_part && one.is_replaced(), "in a simulation"});
}

void Node::need_agent() {
  if (agent_ != nullptr) return;
  Process& agent = add_process({.name = "the agent of host " + name()}, false);
  agent_ = &agent;
  agent.on_death = [this, &agent] {
    world_.log(
        [&] { return fmt::format("{} {}", agent.name(), describe_exit(agent.wait_status())); });
    loop_.post([this, &agent] {
      agent.reap();
      agent_ = nullptr;
      agent_lost_at_ = world_.now();
      handle(agent_life_.end(agent.pid(), agent.wait_status(), "", agent_pause_ns));
    });
  };
  const bool serves = world_.plan().hosts[number_].has_network;
  agent.later(random_.between(1, 100) * ms, [this, serves, &agent] {
    if (!serves) {
      agent_life_.hear("gondwana: node agent: no network\n");
      return agent.exit(1);
    }
    agent_life_.serve();
    loop_.post([this] { tell(ThisNode{"the address of host " + name()}); });
  });
}

void Node::release_agent() {
  if (agent_ != nullptr)
    agent_->later(random_.skewed(5 * ms), [agent = agent_] { agent->exit(0); });
}

std::string Node::describe_left() const {
  std::string text;
  for (const auto& process : processes_)
    if (process->is_alive()) text += fmt::format("{}{}", text.empty() ? "" : ", ", process->name());
  return text;
}

}  // namespace gondwana::simulation
