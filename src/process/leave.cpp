#include "process/leave.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/load.hpp"
#include "core/machine.hpp"
#include "core/print_error.hpp"
#include "memory/job_end.hpp"
#include "memory/stillness.hpp"
#include "process/process.hpp"
#include "process/program_place.hpp"

namespace gondwana {
namespace {

constexpr std::chrono::milliseconds check_interval{10};

// The signals by which launchers end the ranks of a job. A rank that is already ending continues in
// its own way.
void ignore_sigterm() {
  struct sigaction present{};
  if (::sigaction(SIGTERM, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
    std::signal(SIGTERM, SIG_IGN);
}

void tell_others_here(const Process& self, int status);

// Tells the launcher how this process ends; the other ranks if there is none.
void end_job(Process& self, int status, EndReason reason) {
  if (self.memory != nullptr && !self.membership.launcher.ends_ranks() && !self.forked)
    tell_others_here(self, status);
  if (self.memory != nullptr) self.memory->page(self.membership.rank).presence.leave();
  [[maybe_unused]] Result<void> told = self.membership.launcher.end_job(status, reason);
  if (self.launcher_job) told = self.launcher_job->membership.launcher.end_job(status, reason);
}

// Whether other ranks of this node have not finalized yet.
bool any_other_lives(const Process& self) {
  self.memory->page(self.membership.rank).state = RankState::finalized;
  return std::ranges::any_of(self.memory->roster().here(), [&](Rank rank) {
    const ControlPage& page = self.memory->page(rank);
    const auto pid = static_cast<pid_t>(page.presence.process.load(std::memory_order_relaxed));
    return page.state != RankState::finalized && is_alive(pid);
  });
}

// See catch_end_signal().
void ask_others_to_check(const Process& self) {
  for (const Rank rank : self.memory->roster().here()) {
    const ControlPage& page = self.memory->page(rank);
    const auto pid = static_cast<pid_t>(page.presence.process.load(std::memory_order_relaxed));
    if (pid > 0 && rank != self.membership.rank) ::kill(pid, SIGURG);
  }
}

void tell_others_here(const Process& self, int status) {
  announce_purposeful_end(self.memory->header(), self.memory->roster().here().size(), status);
  ask_others_to_check(self);
}

// The previous action for SIGURG, such as printing a stack.
constinit struct sigaction without_end{};

// Whether the signal reports deaths. Later signals may be the user's.
bool has_further_death(const Process& self) {
  static constinit std::atomic<std::uint32_t> known{0};
  const std::uint32_t deaths = self.memory->header().deaths.load(std::memory_order_acquire);
  return known.exchange(deaths) != deaths;
}

void on_end_signal(int number, siginfo_t* facts, void* context) {
  const Process& self = this_process();
  if (!self.forked && (purposeful_end(self.memory->header()) || has_further_death(self))) {
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

// Returns the answer to a question.
std::optional<LeaveEvent> perform(Process& self, const LeaveAction& action) {
  if (const auto* end = std::get_if<AnnounceEnd>(&action)) {
    tell_others_here(self, end->status);
  } else if (const auto* told = std::get_if<TellLauncher>(&action)) {
    end_job(self, told->status, told->reason);
  } else if (std::holds_alternative<LeaveLauncher>(action)) {
    self.membership.launcher.leave();
    if (self.launcher_job) self.launcher_job->membership.launcher.leave();
  } else if (const auto* unfinished = std::get_if<SayUnfinished>(&action)) {
    print_error("gondwana: rank {} ends with status {} before it has finalized; the job is ended\n",
                self.rank(), unfinished->status);
  } else {
    std::fflush(nullptr);  // writes the output of exit handlers
    const bool any_lives = any_other_lives(self);
    if (any_lives) std::this_thread::sleep_for(check_interval);
    return OthersSeen{any_lives};
  }
  return std::nullopt;
}

void handle(Process& self, const LeaveEvent& first) {
  for (std::optional<LeaveEvent> event = first; event;) {
    const LeaveActions actions =
        self.leaving.handle(*std::exchange(event, std::nullopt), monotonic_ns());
    for (const LeaveAction& action : actions)
      if (const std::optional<LeaveEvent> answer = perform(self, action)) event = answer;
  }
}

// About the loss of a peer. Without a guardian the reason may be in the memory of the node. Nothing
// watches the ranks of a unique id, so others know more only if they are on another node.
bool may_others_know_more(const Process& self, const Error& error) {
  if (error.code != Errc::peer_lost) return false;
  const LauncherLink& launcher = self.membership.launcher;
  if (!launcher.is_foreign()) return true;
  if (self.memory->header().is_over.load(std::memory_order_acquire) == 1) return false;
  return launcher.ends_ranks() || self.memory->roster().nodes() > 1;
}

}  // namespace

// The engine stays as it is: other threads may be in calls, and exit handlers may make calls.
void leave_job(int status) {
  Process& self = this_process();
  begin_to_leave(self);
  std::fflush(nullptr);
  ignore_sigterm();
  handle(self, EndCalled{status, self.membership.launcher.is_foreign() && !self.forked});
  std::exit(self.leaving.status());
}

void leave_with_others() {
  Process& self = this_process();
  begin_to_leave(self);
  self.engine->announce_state(RankState::finalized);
}

void check_for_end() {
  Process& self = this_process();
  if (self.memory == nullptr || self.forked) return;
  const std::optional<int> status = purposeful_end(self.memory->header());
  if (!status) [[likely]]
    return;
  if (!begin_to_leave(self)) return self.last_turn.unlock();
  handle(self, EndTold{*status});
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

void take_leave(int status, void* /*unused*/) {
  Process& self = this_process();
  if (self.forked) return;
  const bool is_finished = self.engine == nullptr || self.leaves_job;
  handle(self, HandlersDone{status, is_finished, self.membership.launcher.is_foreign()});
}

// No standard says what a door does after a loss. The message says in which call this rank was; the
// first rank of a node prints it. The launcher, or a rank that lost its own connections, may know
// more. So a rank that misses a peer gives them time to end the job, and more time on a busy
// machine. A rank that has waited only briefly may be in any call.
void report_peer_lost(const Error& error) {
  constexpr std::chrono::seconds for_others{2};
  constexpr std::chrono::seconds longest{10};
  const Process& self = this_process();
  if (self.all_have_finalized) return;
  const std::chrono::nanoseconds grace = std::min(stretched(for_others), longest);
  const LossWait wait(may_others_know_more(self, error), static_cast<std::uint64_t>(grace.count()),
                      monotonic_ns());
  LossWait::Step step = LossWait::Step::wait_again;
  do {
    check_for_end();
    step = wait.step(self.leaves_job || self.ends_with_others, monotonic_ns());
    if (step == LossWait::Step::end_with_others) {
      leave_with_others();
      std::exit(self.leaving.status());  // an exit handler continues with the next one
    }
    std::this_thread::sleep_for(check_interval);
  } while (step == LossWait::Step::wait_again);
  const Waiting* waiting = self.memory->threads(self.membership.rank).longest_wait();
  fail_together(waiting == nullptr ? "network" : waiting->call().c_str(), error);
}

void print_and_end(const std::string& sentence) {
  // A process that has not joined does not know its rank.
  const std::string self =
      this_process().failure ? "" : fmt::format("rank {}: ", this_process().rank());
  print_error("gondwana: {}{}{}\n", self, sentence, caller_in_brackets());
  std::fflush(nullptr);
  end_job(this_process(), 1, EndReason::error);
  std::_Exit(1);
}

void fail_together(CallName name, const Error& error) {
  const Process& self = this_process();
  const bool first = self.memory == nullptr || self.memory->header().complaints.fetch_add(1) == 0;
  if (!first) {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(1);
  }
  print_and_end(fmt::format("{}: {}", name, error.text));
}

}  // namespace gondwana
