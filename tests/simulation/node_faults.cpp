// What goes wrong on a simulated host.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "simulation/node.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events

void Node::signal(int number, HeardSignals::Way way) {
  loop_.post([this, number, way] {
    if (heard_signals_.counts(number, way)) handle(SignalCame{number});
  });
}

// In any order. Each process that hears it twice, or two ways, must count it once.
void Node::signal_all(int number) {
  if (over_) return;
  const auto later = [this](auto what) { world_.schedule().after(random_.skewed(2 * ms), what); };
  later([this, number] { signal(number, HeardSignals::Way::from_launcher); });
  later([this, number] { signal(number, HeardSignals::Way::to_us); });
  for (const auto& process : processes_)
    if (process.get() != agent_) later([one = process.get(), number] { one->signal(number); });
}

// The kernel ends the ranks, and the sweeper what they have started.
void Node::kill_guardian() {
  if (over_) return;
  over_ = true;
  loop_.end();
  for (const auto& rank : ranks_) rank->process().signal(SIGKILL);
  for (const auto& process : processes_) process->signal(SIGTERM);
  world_.schedule().after(2 * second, [this] {
    for (const auto& process : processes_) process->signal(SIGKILL);
    world_.schedule().after(10 * second, [this] {
      uplink_.up->close();
      uplink_.on_end((128 + SIGKILL) << 8);
    });
  });
  uplink_.down->abandon();
  world_.on_agent_gone(*this, random_.skewed(500 * ms));
}

void Node::kill_sweeper() {
  if (std::exchange(sweeper_killed_, true)) return;
  loop_.post([this] {
    constexpr pid_t pid = 7;
    const std::string where = uplink_.up != nullptr ? " on host " + name() : "";
    const std::string begins =
        fmt::format("the sweeper of the job (pid {}){} was killed; the job continues", pid, where);
    world_.allow(begins);
    handle(SweeperLost{pid});
    demand(begins);
  });
}

void Node::kill_agent() {
  if (agent_ == nullptr || over_) return;
  agent_killed_ = true;
  agent_->signal(SIGKILL);
  world_.on_agent_gone(*this, random_.skewed(500 * ms));
}

void Node::power_off() {
  over_ = true;
  loop_.end();
  for (const auto& process : processes_) {
    process->on_death = {};
    process->die(SIGKILL);
  }
  world_.on_agent_gone(*this, Time{job_.share.peer_timeout_s} * second);
}

void Node::stop_guardian(Time time) {
  const Time until = world_.now() + time;
  const Time paused_until = std::max(world_.now(), paused_until_);
  paused_ns_ += std::max(until, paused_until) - paused_until;
  paused_until_ = std::max(until, paused_until);
  loop_.pause(until);
}

void Node::lose_output(int reason) {
  if (output_failure_) return;
  output_failure_ = reason;
  world_.ledger().lose_output();
  if (reason == ENOSPC) world_.allow(output_lost);
  loop_.post([] {});
}

void Node::fail_descriptor() {
  loop_.post([this] { handle(Failed{{Errc::out_of_memory, "cannot watch a descriptor"}}); });
}

// The kernel stops everything, and its network is silent.
void Node::freeze(Time time) {
  if (over_) return;
  stop_guardian(time + 1);  // its processes go on first, and hear what it asks of them
  for (const auto& process : processes_) {
    process->freeze();
    world_.schedule().after(time, [one = process.get()] { one->thaw(); });
  }
}

void Node::lose_launcher() {
  loop_.post([this] { handle(LauncherLost{"the launcher was killed; its ranks are ended"}); });
}

}  // namespace gondwana::simulation
