#include "process/leave.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "core/load.hpp"
#include "core/print_error.hpp"
#include "memory/job_end.hpp"
#include "memory/stillness.hpp"
#include "process/process.hpp"
#include "process/program_place.hpp"

namespace gondwana {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds between_looks{10};

// The signals by which launchers end the ranks of a job. A rank that is already ending continues in
// its own way.
void ignore_sigterm() {
  struct sigaction present{};
  if (::sigaction(SIGTERM, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
    std::signal(SIGTERM, SIG_IGN);
}

// Tells the launcher how this process ends.
Result<void> end_job(Process& self, int status, EndReason reason) {
  if (self.memory != nullptr) self.memory->page(self.membership.rank).presence.leave();
  return self.membership.launcher.end_job(status, reason);
}

// A foreign launcher ends all ranks at once. The ranks of this node end by themselves before that.
void give_others_time(const Process& self) {
  self.memory->page(self.membership.rank).state = RankState::finalized;
  const auto others_live = [&] {
    for (const Rank rank : self.memory->roster().here()) {
      const ControlPage& page = self.memory->page(rank);
      const auto pid = static_cast<pid_t>(page.presence.process.load(std::memory_order_relaxed));
      if (page.state != RankState::finalized && is_alive(pid)) return true;
    }
    return false;
  };
  const auto until = steady_clock::now() + time_to_end;
  while (others_live() && steady_clock::now() < until) std::this_thread::sleep_for(between_looks);
}

// See catch_end_signal().
void tell_others_to_look(const Process& self) {
  for (const Rank rank : self.memory->roster().here()) {
    const ControlPage& page = self.memory->page(rank);
    const auto pid = static_cast<pid_t>(page.presence.process.load(std::memory_order_relaxed));
    if (pid > 0 && rank != self.membership.rank) ::kill(pid, SIGURG);
  }
}

// The previous action for SIGURG, such as printing a stack.
constinit struct sigaction without_end{};

void on_end_signal(int number, siginfo_t* facts, void* context) {
  Process& self = this_process();
  if (!self.forked && purposeful_end(self.memory->header())) {
    for (const auto& divert : self.diverts)
      if (const auto door = divert.load()) door();
  } else if ((without_end.sa_flags & SA_SIGINFO) != 0) {
    without_end.sa_sigaction(number, facts, context);
  } else if (without_end.sa_handler != SIG_DFL && without_end.sa_handler != SIG_IGN) {
    without_end.sa_handler(number);
  }
}

// One thread leaves; the others stay here until the process is gone. Returns false to the leaving
// thread, and to calls from an exit handler.
bool begin_to_leave(Process& self) {
  self.last_turn.lock();
  return !self.leaves_job.exchange(true);
}

}  // namespace

// The engine stays as it is: other threads may be in calls, and exit handlers may make calls.
void leave_job(int status) {
  Process& self = this_process();
  if (status != 0 && status % 256 == 0) status = 1;  // a waiting parent would see 0
  begin_to_leave(self);
  self.exit_status = status;
  std::fflush(nullptr);
  ignore_sigterm();
  if (self.membership.launcher.is_foreign() && !self.forked) {
    self.asks_for_end = true;
    announce_purposeful_end(self.memory->header(), self.memory->roster().here().size(), status);
    tell_others_to_look(self);
  } else {
    [[maybe_unused]] const Result<void> told = end_job(self, status, EndReason::on_purpose);
  }
  std::exit(status);
}

void leave_with_others() {
  Process& self = this_process();
  begin_to_leave(self);
  self.engine->announce_state(RankState::finalized);
}

void look_for_end() {
  Process& self = this_process();
  if (self.memory == nullptr || self.forked) return;
  const std::optional<int> status = purposeful_end(self.memory->header());
  if (!status) [[likely]]
    return;
  if (!begin_to_leave(self)) return self.last_turn.unlock();
  self.exit_status = *status;
  for (const auto tell : self.before_told_end) tell();
  self.memory->page(self.membership.rank).presence.leave();
  ignore_sigterm();
  std::exit(*status);
}

void divert_calls_by(void (*divert)()) {
  for (std::atomic<void (*)()>& place : this_process().diverts) {
    void (*none)() = nullptr;
    if (place.compare_exchange_strong(none, divert)) return;
  }
}

void catch_end_signal() {
  ::sigaction(SIGURG, nullptr, &without_end);
  struct sigaction action = without_end;
  action.sa_sigaction = &on_end_signal;
  action.sa_flags |= SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigaction(SIGURG, &action, nullptr);
}

// Our guardian sees and judges the end of a rank. A foreign launcher may mistake an end for a
// crash, or let the peers of a rank that gave up wait forever.
void take_leave(int status, void* /*unused*/) {
  Process& self = this_process();
  if (self.forked) return;
  const LauncherLink& launcher = self.membership.launcher;
  if (self.asks_for_end) {
    std::fflush(nullptr);  // the output of exit handlers
    give_others_time(self);
    [[maybe_unused]] const Result<void> told =
        end_job(self, self.exit_status, EndReason::on_purpose);
    return;
  }
  const bool has_finished = self.engine == nullptr || self.leaves_job;
  if (has_finished || status == 0 || !launcher.is_foreign()) return launcher.leave();
  print_error("gondwana: rank {} ends with status {} before it has finalized; the job is ended\n",
              self.rank(), status);
  [[maybe_unused]] const Result<void> told = end_job(self, status, EndReason::error);
}

// No standard says what a door does after a loss. The message says in which call this rank was; the
// first rank of a node prints it. The launcher, or a rank that lost its own connections, may know
// more. So a rank that misses a peer gives them time to end the job, and more time on a busy
// machine. A rank that has waited only briefly may be in any call.
void say_peer_lost(const Error& error) {
  constexpr std::chrono::seconds for_others{2};
  constexpr std::chrono::seconds longest{10};
  Process& self = this_process();
  if (self.all_have_finalized) return;
  const auto until = steady_clock::now() + std::min(stretched(for_others), longest);
  do {
    look_for_end();
    if (self.leaves_job || self.ends_with_others) {
      leave_with_others();
      std::exit(self.exit_status);  // an exit handler continues with the next one
    }
    std::this_thread::sleep_for(between_looks);
  } while (error.code == Errc::peer_lost && steady_clock::now() < until);
  const Waiting* waiting = self.memory->page(self.membership.rank).longest_wait();
  fail_together(waiting == nullptr ? "network" : waiting->call().c_str(), error);
}

void say_and_end(const std::string& sentence) {
  // A process that has not joined does not know its rank.
  const std::string self =
      this_process().failure ? "" : fmt::format("rank {}: ", this_process().rank());
  print_error("gondwana: {}{}{}\n", self, sentence, caller_in_brackets());
  std::fflush(nullptr);
  [[maybe_unused]] const Result<void> told = end_job(this_process(), 1, EndReason::error);
  std::_Exit(1);
}

void fail_together(CallName name, const Error& error) {
  const Process& self = this_process();
  const bool first = self.memory == nullptr || self.memory->header().complaints.fetch_add(1) == 0;
  if (!first) {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(1);
  }
  say_and_end(fmt::format("{}: {}", name, error.text));
}

}  // namespace gondwana
