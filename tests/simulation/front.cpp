#include "simulation/front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>
#include <variant>

#include "base/exit_status.hpp"
#include "link/way_to_host.hpp"
#include "run/io/next_time.hpp"
#include "run/overloaded.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

namespace {

constexpr std::uint64_t tag = 0x5eed;
constexpr Time close_interval_ns = 3 * second;
constexpr Time wakes_late_ns = 20 * ms;  // a loop that sleeps may wake up so much later

std::vector<Job> parts_of(const Plan& plan) {
  std::vector<Job> parts;
  const std::uint32_t total = plan.ranks();
  std::uint32_t first = 0;
  for (std::uint32_t node = 0; node < plan.hosts.size(); ++node) {
    Job& part = parts.emplace_back();
    Program& program = part.programs.emplace_back();
    program.ranks = static_cast<std::uint32_t>(plan.hosts[node].ranks.size());
    program.words = {"./program"};
    part.share = {.node = node,
                  .nodes = static_cast<std::uint32_t>(plan.hosts.size()),
                  .first = first,
                  .total = total,
                  .tag = tag,
                  .peer_timeout_s = plan.peer_timeout_s};
    if (node != 0) part.streams.reader.reset();
    first += program.ranks;
  }
  return parts;
}

}  // namespace

Job Front::job_of(const Plan& plan) const {
  Job job;
  job.programs.emplace_back().ranks = plan.ranks();
  if (plan.timeout) job.timeout = std::chrono::milliseconds(*plan.timeout / ms);
  return job;
}

Front::Front(World& world)
    : world_(world),
      random_(world.random()),
      job_(job_of(world.plan())),
      parts_(parts_of(world.plan())),
      decisions_(job_, parts_, world.now()),
      loop_(world.schedule(), world.random(),
            {[this] { step(); }, [this] { return next(); },
             [this] { world_.fail("the conductor spins"); }}),
      known_(parts_.size(), Known(tag)),
      began_(world.now()),
      ping_every_ns_(world.plan().peer_timeout_s == 0
                         ? second
                         : std::min(second, world.plan().peer_timeout_s * second / 4)) {}

void Front::start() {
  const std::uint32_t timeout = world_.plan().peer_timeout_s;
  for (std::uint32_t node = 0; node < parts_.size(); ++node) {
    Host& host = *hosts_.emplace_back(std::make_unique<Host>(world_, node));
    known_[node].heard_ns = world_.now();
    host.up().listen([this, node] { loop_.post([this, node] { read_frames(node); }); });
    host.way().on_death = [this, node] {
      Host& one = *hosts_[node];
      // Now and then another process holds the pipe, such as a master of ssh.
      if (random_.one_in(8))
        one.up().reset();
      else
        one.up().cut();
      one.down().reset();
      loop_.post([this, node] { on_way_ended(node); });
    };
    host.start();
    handle(HostStarted{node,
                       {.name = name(node),
                        .way = "ssh",
                        .by_ssh = true,
                        .peer_timeout_s = timeout,
                        .start_limit_s = link::start_limit_s(timeout)}});
    send({{node}, Task{parts_[node], {}, "/"}});
  }
  loop_.post([] {});
}

void Front::handle(const HostsEvent& event) {
  if (over_) return;
  for (const HostsAction& action : decisions_.handle(event, world_.now())) perform(action);
}

void Front::perform(const HostsAction& action) {
  std::visit(
      Overloaded{[this](const launch::Said& said) { world_.say(said.sentence); },
                 [this](const Send& send_it) { send(send_it); },
                 [this](const CloseHost& host) {
                   if (known_[host.node].is_closed)
                     world_.fail("host " + name(host.node) + " ends twice");
                   close(host.node, host.is_killed);
                 },
                 [this](const LookAtHost& look) {
                   const Known& known = known_[look.node];
                   handle(HostSeen{look.node, known.heard_ns,
                                   known.is_open && hosts_[look.node]->up().has_unread(),
                                   hosts_[look.node]->error_text()});
                 },
                 [](const StartInput&) {}, [](const StopInput&) {},
                 [this](const StartHosts&) { world_.fail("a job grows that nobody asked to"); },
                 [this](const DropHosts&) { world_.fail("no host was added"); },
                 [this](Explain how) { explain(how == Explain::shortly ? second : 5 * second); }},
      action);
}

// It looks at the job meanwhile, and at nothing else; the hosts hear from it.
void Front::explain(Time longest) {
  const Time until = world_.now() + random_.skewed(longest);
  for (Time at = world_.now(); at < until; at += ping_every_ns_)
    world_.schedule().at(at, [this] {
      if (!over_) ping_hosts();
    });
  stop(until - world_.now());
}

void Front::send(const Send& send) {
  const auto* end = std::get_if<End>(&send.frame);
  const auto bytes = std::make_shared<const std::string>(encode(send.frame, tag));
  for (const std::uint32_t node : send.to) {
    if (known_[node].is_closed)
      world_.fail("a frame is sent to host " + name(node) + ", which is over");
    if (end != nullptr) look_at_end(node, *end);
    if (!known_[node].is_open) continue;
    ++sent_;
    hosts_[node]->down().write_shared(bytes);
  }
}

void Front::look_at_end(std::uint32_t node, const End& end) {
  world_.log([&] {
    return fmt::format("conductor: tells host {} of the end, status {}", name(node), end.status);
  });
  if (!known_[node].has_said_hello)
    world_.fail("the job ends, and waits for host " + name(node) + ", which has not begun");
}

std::uint64_t Front::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& host : hosts_) sum += host->up().written() + host->down().written();
  return sum;
}

void Front::close(std::uint32_t node, bool is_killed) {
  world_.log([&] {
    return fmt::format("conductor: host {} is over{}", name(node),
                       is_killed ? ", ssh is killed" : "");
  });
  const bool is_given_up = asked_at_ns_ && world_.now() >= *asked_at_ns_ + 10 * second;
  if (is_killed && is_given_up) world_.ledger().settle(exit_signal_base + asked_, world_.now());
  known_[node].is_open = false;
  known_[node].is_closed = known_[node].has_ended = true;
  hosts_[node]->down().close();
  hosts_[node]->up().abandon();
  if (is_killed) hosts_[node]->way().signal(SIGTERM);
}

void Front::read_frames(std::uint32_t node) {
  Known& known = known_[node];
  if (!known.is_open || over_) return;
  auto item = hosts_[node]->up().read(65536);
  if (!item) return;
  if (hosts_[node]->up().has_unread()) loop_.post([this, node] { read_frames(node); });
  if (item->is_end) return end_pipe(node, "");
  known.heard_ns = world_.now();
  known.parser.add(item->bytes);
  while (known.is_open) {
    Result<std::optional<Frame>> frame = known.parser.next();
    if (!frame) return end_pipe(node, frame.error().text);
    if (!*frame) break;
    ++received_;
    on_frame(node, **frame);
  }
  if (item->mark) item->mark();
}

void Front::end_pipe(std::uint32_t node, const std::string& why) {
  Known& known = known_[node];
  if (!why.empty() && !hosts_[node]->is_garbled())
    world_.fail("frames of host " + name(node) + " are misread: " + why);
  known.is_open = false;
  known.pipe_ended = true;
  known.garbage = why;
  hosts_[node]->down().close();
  hosts_[node]->up().abandon();
  expect_loss(node);
  handle(HostPipeEnded{node, why, close_interval_ns});
}

void Front::on_way_ended(std::uint32_t node) {
  known_[node].wait_status = hosts_[node]->way().wait_status();
  hosts_[node]->way().reap();
  world_.log([&] {
    return fmt::format("conductor: ssh to host {} {}", name(node),
                       describe_exit(*known_[node].wait_status));
  });
  expect_loss(node);
  handle(HostProcessEnded{node, *known_[node].wait_status, close_interval_ns});
}

void Front::on_frame(std::uint32_t node, Frame& frame) {
  if (const auto* said = std::get_if<launch::Said>(&frame)) return world_.say(said->sentence);
  if (std::holds_alternative<Output>(frame) || std::holds_alternative<Taken>(frame) ||
      std::holds_alternative<Deaf>(frame) || std::holds_alternative<Pong>(frame) ||
      std::holds_alternative<TracePart>(frame))
    return;
  Known& known = known_[node];
  if (std::holds_alternative<Hello>(frame)) {
    known.has_said_hello = true;
    // From now on its silence may last less long.
    silence_at_ns_ = std::min(silence_at_ns_, known.heard_ns + peer_timeout_ns());
    if (known.loss) expect_loss_after_hello(node);
  }
  if (const auto* ended = std::get_if<Ended>(&frame)) {
    known.has_ended = true;
    world_.ledger().settle(static_cast<int>(ended->status), world_.now());
    if (known.loss) world_.ledger().withdraw(*known.loss);
  }
  handle(HostSaid{node, std::move(frame)});
}

// A connection that ends before the host has said that it ends, ends the job: at once if both of
// its ends are known, or after some time.
void Front::expect_loss(std::uint32_t node) {
  Known& known = known_[node];
  if (known.has_ended || over_) return;
  const bool is_all = known.pipe_ended && (known.wait_status || !known.garbage.empty());
  Cause cause{.what = fmt::format("the connection to host {} has ended", name(node)),
              .status = {exit_failure},
              .begins = known.has_said_hello && known.garbage.empty()
                            ? fmt::format("the connection to host {} is lost, ssh ", name(node))
                            : fmt::format("host {}: ", name(node)),
              .earliest = world_.now(),
              .latest = world_.now() + (is_all ? 0 : close_interval_ns + wakes_late_ns)};
  if (known.wait_status) cause.status.insert(exit_status(*known.wait_status));
  if (known.loss && is_all) world_.ledger().withdraw(*known.loss);
  if (!known.loss || is_all) known.loss = world_.ledger().add(std::move(cause));
}

// The end of ssh was handled before what the host had sent.
void Front::expect_loss_after_hello(std::uint32_t node) {
  world_.ledger().withdraw(*std::exchange(known_[node].loss, std::nullopt));
  expect_loss(node);
}

Time Front::peer_timeout_ns() const {
  return world_.plan().peer_timeout_s * second;
}

void Front::expect_silence() {
  const std::uint32_t timeout_s = world_.plan().peer_timeout_s;
  if (timeout_s == 0 || world_.now() < silence_at_ns_) return;
  silence_at_ns_ = Cause::never;
  for (std::uint32_t node = 0; node < known_.size(); ++node) {
    Known& known = known_[node];
    const std::uint32_t limit_s = known.has_said_hello ? timeout_s : link::start_limit_s(timeout_s);
    const Time limit = known.heard_ns + limit_s * second;
    if (known.has_ended || known.pipe_ended || known.wait_status || known.silence) continue;
    silence_at_ns_ = std::min(silence_at_ns_, limit);
    if (world_.now() < limit || hosts_[node]->up().has_unread()) continue;
    known.silence = world_.ledger().add(
        {.what = fmt::format("host {} has been silent for {} s", name(node), limit_s),
         .status = {exit_failure},
         .begins = fmt::format("host {} was silent for {} s", name(node), limit_s),
         .earliest = limit,
         .latest = world_.now()});
  }
}

void Front::expect_timeout() {
  const auto& timeout = world_.plan().timeout;
  if (!timeout || world_.now() < began_ + *timeout || std::exchange(timeout_told_, true)) return;
  world_.ledger().add({.what = "the time of the job is over",
                       .status = {exit_timeout},
                       .begins = "the job runs longer than --timeout",
                       .earliest = world_.now(),
                       .latest = world_.now(),
                       .overrides = true});
}

// A host that is out of reach keeps the user no longer than ten seconds in which the conductor
// runs.
void Front::check_waiting_user() {
  constexpr Time user_ns = 10'100 * ms;
  constexpr Time silent_ns = 6'100 * ms;
  if (!asked_at_ns_ || world_.now() < *asked_at_ns_ + stopped_ns_ + user_ns) return;
  for (std::uint32_t node = 0; node < known_.size(); ++node)
    if (!decisions_.is_over(node) && world_.now() >= known_[node].heard_ns + silent_ns &&
        !hosts_[node]->up().has_unread())
      world_.fail("the user has sent a signal, and waits for host " + name(node) +
                  ", which is silent");
}

void Front::step() {
  expect_timeout();
  expect_silence();
  handle(Tick{});
  check_waiting_user();
  ping_hosts();
  if (output_failure_) handle(OutputFailed{*output_failure_});
  lost_reader_.reset();
  if (decisions_.is_over()) finish();
}

void Front::ping_hosts() {
  if (world_.now() < ping_at_ns_) return;
  Send ping{{}, Ping{world_.now()}};
  for (std::uint32_t node = 0; node < hosts_.size(); ++node)
    if (!decisions_.is_over(node)) ping.to.push_back(node);
  send(ping);
  ping_at_ns_ = world_.now() + ping_every_ns_;
}

std::optional<Time> Front::next() const {
  NextTime next;
  next.consider(ping_at_ns_);
  next.consider(decisions_.next_ns());
  return next.ns();
}

// ssh ends when its remote launcher has; one that hangs is killed.
void Front::finish() {
  if (output_failure_ == ENOSPC) world_.demand(output_lost);
  over_ = true;
  loop_.end();
  world_.schedule().after(second, [this] {
    for (const auto& host : hosts_) host->way().signal(SIGKILL);
  });
  world_.end(decisions_.outcome().of_job());
}

void Front::signal(int number) {
  loop_.post([this, number] {
    if (number == SIGINT || number == SIGTERM) {
      asked_at_ns_ = asked_at_ns_.value_or(world_.now());
      asked_ = number;
    }
    handle(SignalCame{number});
  });
}

void Front::lose_launcher() {
  loop_.post([this] {
    const std::string sentence = "the launcher was killed; its ranks are ended";
    world_.ledger().add({.what = "the launcher was killed",
                         .status = {exit_signal_base + SIGKILL},
                         .begins = sentence,
                         .earliest = world_.now(),
                         .latest = world_.now()});
    handle(LauncherLost{sentence});
  });
}

void Front::stop(Time time) {
  const Time until = world_.now() + time;
  for (const Known& known : known_)
    if (known.loss) world_.ledger().delay(*known.loss, until + wakes_late_ns);
  if (lost_reader_) world_.ledger().delay(*lost_reader_, until + wakes_late_ns);
  if (asked_at_ns_) stopped_ns_ += time;
  loop_.pause(until);
}

void Front::lose_output(int reason) {
  loop_.post([this, reason] {
    if (output_failure_) return;
    output_failure_ = reason;
    if (reason != EPIPE) {
      world_.allow(output_lost);
      return world_.ledger().lose_output();
    }
    lost_reader_ = world_.ledger().add({.what = "nobody reads the output",
                                        .status = {exit_signal_base + SIGPIPE},
                                        .begins = "",
                                        .earliest = world_.now(),
                                        .latest = world_.now()});
  });
}

}  // namespace gondwana::simulation
