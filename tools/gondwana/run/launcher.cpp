// The launcher is the parent of the guardian, or of the conductor for a job on several hosts. It
// forwards signals and waits. If one of these processes is killed, the others end everything below
// them, because they are child subreapers too. The sweeper between launcher and guardian covers the
// case that both are killed.
#include "run/launcher.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/complain.hpp"
#include "base/exit_status.hpp"
#include "base/pipe.hpp"
#include "core/function_ref.hpp"
#include "core/options.hpp"
#include "core/print_error.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "core/variables.hpp"
#include "link/way_to_host.hpp"
#include "run/command_line/command_line.hpp"
#include "run/command_line/option_parser.hpp"
#include "run/command_line/rank_variable.hpp"
#include "run/command_line/sharing.hpp"
#include "run/command_line/show.hpp"
#include "run/debugger/attach_debugger.hpp"
#include "run/debugger/debug_job.hpp"
#include "run/debugger/waiting_rank.hpp"
#include "run/job.hpp"
#include "run/node/descendants.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/guardian.hpp"
#include "run/node/job_files.hpp"
#include "run/node/sweeper.hpp"
#include "run/profile_page.hpp"
#include "run/remote/conductor.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/remote_launcher.hpp"

namespace gondwana::launch {
namespace {

// The process that runs the job.
struct Child {
  pid_t pid;
  const char* name;
  int wait_status = 0;
  bool had_left_others = false;  // processes that the sweeper has ended
};

int complain(const Error& error, int status) {
  gondwana::complain("run", error.text);
  return status;
}

// Signals to forward: all that are not ignored, as nohup(1) and shells request.
sigset_t signals_to_forward() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) ::sigaddset(&signals, signal);
  }
  return signals;
}

// The child and the ranks were killed; the processes that they had started now belong to the
// launcher.
int clean_up_after(const Child& child) {
  Descendants().end_all();
  print_error("gondwana run: the {} of the job (pid {}) {}; all ranks were ended\n", child.name,
              child.pid, describe_exit(child.wait_status));
  return exit_status(child.wait_status);
}

int status_of(const Child& child) {
  const bool has_left_others = child.had_left_others || have_children();
  if (WIFEXITED(child.wait_status) && !has_left_others) return WEXITSTATUS(child.wait_status);
  return clean_up_after(child);
}

// Forwards signals until `has_ended` returns true. It is called whenever a child ends.
void supervise(const UniqueFd& orders, const sigset_t& signals, FunctionRef<bool()> has_ended) {
  while (!has_ended()) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal == SIGCHLD || signal < 0) continue;
    const auto order = static_cast<unsigned char>(signal);
    (void)!::write(orders.get(), &order, 1);  // fails only if the child has just ended
    if (signal == SIGTSTP) ::raise(SIGSTOP);
  }
}

// `Parent` is Guardian or Conductor.
template <typename Parent, typename... Arguments>
  requires std::is_constructible_v<Parent, Arguments..., Poller>
[[noreturn]] void run_as(Arguments&&... arguments) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Result<Poller> poller = Poller::create();
  if (!poller) ::_exit(complain(poller.error(), exit_failure));
  Parent parent(std::forward<Arguments>(arguments)..., *std::move(poller));
  ::_exit(parent.run());
}

// Returns whether the guardian has ended. At first `guardian.pid` is the sweeper, which reports the
// guardian's end.
bool wait_for_guardian(const Sweeper& sweeper, Child& guardian) {
  const pid_t ended = ::waitpid(guardian.pid, &guardian.wait_status, WNOHANG);
  if (ended <= 0) return false;
  guardian.pid = ended;
  if (ended != sweeper.pid()) return true;
  if (const auto report = sweeper.report()) {
    guardian.pid = report->guardian;
    guardian.wait_status = report->wait_status;
    guardian.had_left_others = report->were_left;
    return true;
  }
  guardian.pid = -1;  // the sweeper was killed, so the guardian is the only child
  return wait_for_guardian(sweeper, guardian);
}

// `orders`: the pipe through which the launcher forwards signals.
int run_here(const Job& job, Pipe orders, const sigset_t& signals, DebuggerWindows* windows) {
  const Result<Sweeper> sweeper = Sweeper::start([&](SweeperLink link) {
    orders.to.reset();
    run_as<Guardian>(job, std::move(link), std::move(orders.from));
  });
  if (!sweeper) return complain(sweeper.error(), exit_failure);
  orders.from.reset();
  Child guardian{sweeper->pid(), "guardian"};
  supervise(orders.to, signals, [&] { return wait_for_guardian(*sweeper, guardian); });
  if (windows != nullptr) windows->close();
  return status_of(guardian);
}

int run_on_hosts(const Job& job, Pipe orders, const sigset_t& signals, DebuggerWindows* windows) {
  Child conductor{::fork(), "conductor"};
  if (conductor.pid == 0) {
    orders.to.reset();
    run_as<Conductor>(job, std::move(orders.from));
  }
  if (conductor.pid < 0) return complain(no_process(), exit_failure);
  orders.from.reset();
  supervise(orders.to, signals, [&] {
    return ::waitpid(conductor.pid, &conductor.wait_status, WNOHANG) == conductor.pid;
  });
  if (windows != nullptr) windows->close();
  return status_of(conductor);
}

// The largest number of ranks that share memory; 0: all. It comes from GONDWANA_NODE_RANKS or the
// variables of GASNet and ComEx. The ranks report errors in these and other variables.
std::uint32_t node_ranks(const Job& job) {
  Options options;
  const Environment environment = environment_of_ranks(job);
  for (const VariableId id : {VariableId::gondwana_node_ranks, VariableId::comex_enable_put_smp,
                              VariableId::comex_enable_get_smp, VariableId::comex_enable_acc_smp})
    if (const Result<void> done = read_option(id, environment, options); !done) return 0;
  return options.max_on_node();
}

// Finds the programs if they run here.
Result<void> find_files_here(Job& job) {
  return job.hosts.empty() ? find_files(job) : Result<void>{};
}

// Decides on which hosts the job runs.
Result<void> settle_hosts(Job& job) {
  job.max_on_node = node_ranks(job);
  if (job.max_on_node > 0) job.hosts = split_hosts(job, job.max_on_node);
  job.hosts = hosts_in_use(job);
  if (job.hosts.size() > max_nodes_in_range)
    return Error{Errc::refused, fmt::format("{} nodes: at most {} are possible", job.hosts.size(),
                                            max_nodes_in_range)};
  if (job.hosts.size() == 1 && link::is_this_host(job.hosts[0].name)) job.hosts.clear();
  return {};
}

}  // namespace

int start_job(const Job& job, DebuggerWindows* windows) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD,
           SIG_DFL);  // the parent may have ignored it, and then waitpid() would fail
  sigset_t signals = signals_to_forward();
  ::sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  Result<Pipe> orders = make_pipe();
  if (!orders) return complain(orders.error(), exit_failure);
  return job.hosts.empty() ? run_here(job, *std::move(orders), signals, windows)
                           : run_on_hosts(job, *std::move(orders), signals, windows);
}

namespace {

// Runs the job, with a profile if requested.
int run_with_table(const Job& job) {
  constexpr int signal_offset = 128;  // an exit status is this plus the number of the signal
  const int status = start_job(job);
  if (job.profile.has_table && status > signal_offset)
    print_error("gondwana run: --profile: status {}: no table if a signal ended a rank\n", status);
  return status;
}

int run_with_page(const Job& job) {
  if (const Result<void> ready = remove_old_profile(job); !ready)
    return complain(ready.error(), exit_failure);
  if (const std::string doubt = python_warning(); !doubt.empty())
    print_error("gondwana run: warning: --profile: {}\n", doubt);
  const Circumstances began = present_circumstances();
  const int status = start_job(job);
  const Result<void> written = write_profile_page(job, began);
  if (written) return status;
  return complain(written.error(), status != 0 ? status : exit_failure);
}

// Prints a text that the user requests instead of a job. Returns whether the command is complete.
bool is_answered(const Job& job) {
  if (job.purpose == Purpose::help)
    fmt::print("{}", help_text());
  else if (job.purpose == Purpose::version)
    fmt::print("gondwana {}\n", GONDWANA_VERSION);
  else
    return false;
  return true;
}

// Finds the programs of the job, under gdb if requested. `windows`: those that gdb gets, if any.
Result<void> find_files(Job& job, std::optional<DebuggerWindows>& windows) {
  Result<void> found = find_files_here(job);
  if (!found || job.gdb.ranks.empty()) return found;
  Result<std::optional<DebuggerWindows>> opened = put_under_gdb(job);
  if (!opened) return opened.error();
  windows = *std::move(opened);
  return find_files_here(job);  // gdb is the program now
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == remote_launcher_option) return run_remote_launcher();
  if (words.size() > 2 && words[0] == wait_for_debugger_option) return wait_for_debugger(words);
  if (words.size() == 3 && words[0] == attach_debugger_option) return attach_debugger(words);
  Result<Job> job = parse_command_line(words);
  if (!job) return complain(job.error(), exit_failure);
  if (is_answered(*job)) return 0;
  if (const Result<void> fine = own_environment().check_site_file(); !fine)
    return complain(fine.error(), exit_failure);
  if (const Result<void> settled = settle_hosts(*job); !settled)
    return complain(settled.error(), exit_failure);
  std::optional<DebuggerWindows> windows;
  if (const Result<void> found = find_files(*job, windows); !found)
    return complain(found.error(), exit_status(found.error().code));
  if (job->purpose == Purpose::show) {
    fmt::print("{}", show(*job));
    return 0;
  }
  if (!job->gdb.ranks.empty()) return start_job(*job, windows ? &*windows : nullptr);
  return job->profile.page.empty() ? run_with_table(*job) : run_with_page(*job);
}

}  // namespace gondwana::launch
