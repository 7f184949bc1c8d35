// The launcher is a thin parent of the guardian, or of the conductor of a job of several hosts: it
// passes signals on and waits. Each of the two can be killed: the other, a child subreaper too,
// then ends everybody below. Where both are killed the sweeper does.
#include "run/launcher.hpp"

#include <fcntl.h>
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

#include "core/options.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/command_line.hpp"
#include "run/conductor.hpp"
#include "run/descendants.hpp"
#include "run/exit_status.hpp"
#include "run/far_end.hpp"
#include "run/frames.hpp"
#include "run/guardian.hpp"
#include "run/host_connection.hpp"
#include "run/job.hpp"
#include "run/job_files.hpp"
#include "run/rank_variable.hpp"
#include "run/sharing.hpp"
#include "run/show.hpp"
#include "run/sweeper.hpp"
#include "run/verdict.hpp"

namespace gondwana::launch {
namespace {

struct Child {
  pid_t pid;
  const char* name;
};

int complain(const Error& error, int status) {
  fmt::print(stderr, "gondwana run: {}\n", error.text);
  return status;
}

// Were descriptor 0, 1 or 2 closed, the next file we open would take its place. Output that was
// closed stays not writable, so that the first line is told to be lost.
void occupy_standard_descriptors() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
}

// Signals to pass on: all that are not ignored, as nohup(1) and shells ask for.
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

// The child was killed, and with it the ranks; what they had started is ours now.
int clean_up_after(const Child& child, int wait_status) {
  Ending ending;
  ending.ask(2'000'000'000);
  while (!ending.over()) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    ending.step();
    if (!ending.over()) ::usleep(5'000);
  }
  const std::string how = WIFSIGNALED(wait_status)
                              ? fmt::format("was killed by {}", signal_name(WTERMSIG(wait_status)))
                              : fmt::format("ended with status {}", WEXITSTATUS(wait_status));
  fmt::print(stderr, "gondwana run: the {} of the job (pid {}) {}; all ranks were ended\n",
             child.name, child.pid, how);
  return exit_status(wait_status);
}

// Tells the child of each signal until it ends; returns its status.
int supervise(const Child& child, Sweeper& sweeper, const UniqueFd& orders,
              const sigset_t& signals) {
  for (;;) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal == SIGCHLD) {
      int wait_status = 0;
      if (::waitpid(child.pid, &wait_status, WNOHANG) != child.pid) continue;
      sweeper.dismiss();
      if (WIFEXITED(wait_status) && !have_children()) return WEXITSTATUS(wait_status);
      return clean_up_after(child, wait_status);
    }
    if (signal < 0) continue;
    const auto order = static_cast<unsigned char>(signal);
    (void)!::write(orders.get(), &order, 1);  // fails only when the child has just ended
    if (signal == SIGTSTP) ::raise(SIGSTOP);
  }
}

// The child.
[[noreturn]] void run_job(const Job& job, Sweeper sweeper, UniqueFd orders) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Result<Poller> poller = Poller::create();
  if (!poller) ::_exit(complain(poller.error(), exit_trouble));
  if (job.hosts.empty()) {
    Guardian guardian(job, std::move(sweeper), std::move(orders), *std::move(poller));
    ::_exit(guardian.run());
  }
  Conductor conductor(job, std::move(orders), *std::move(poller));
  ::_exit(conductor.run());
}

// How many ranks may share memory, by our name for it or by GASNet's; 0: all. What is wrong with
// it, or with other variables, is told by the ranks.
std::uint32_t node_ranks(const Job& job) {
  const Result<Options> options = read_options([&job](std::string_view name) {
    const bool ours = name == "GONDWANA_NODE_RANKS" || name == "GASNET_SUPERNODE_MAXSIZE";
    return ours ? value_for_ranks(job, name) : nullptr;
  });
  return options ? options->node_ranks : 0;
}

}  // namespace

int start_job(const Job& job) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD,
           SIG_DFL);  // whoever started us may have ignored it: then nobody could be waited for
  sigset_t signals = signals_to_forward();
  ::sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return complain({Errc::out_of_memory,
                     fmt::format("cannot make a pipe: {}; raise ulimit -n", std::strerror(errno))},
                    exit_trouble);
  }
  UniqueFd from_launcher(ends[0]);
  UniqueFd orders(ends[1]);
  Sweeper sweeper = Sweeper::open();
  const Child child{::fork(), job.hosts.empty() ? "guardian" : "conductor"};
  if (child.pid == 0) {
    orders.reset();
    run_job(job, std::move(sweeper), std::move(from_launcher));
  }
  if (child.pid < 0) {
    return complain({Errc::out_of_memory,
                     fmt::format("cannot start a process: {}; is their number limited (ulimit -u, "
                                 "pids.max)?",
                                 std::strerror(errno))},
                    exit_trouble);
  }
  from_launcher.reset();
  if (job.hosts.empty()) sweeper.start();
  return supervise(child, sweeper, orders, signals);
}

int run_command(const std::vector<std::string>& words) {
  occupy_standard_descriptors();
  if (words.size() == 1 && words[0] == far_end_word) return run_far_end();
  Result<Job> job = parse_command_line(words);
  if (!job) return complain(job.error(), exit_trouble);
  if (job->purpose == Purpose::help) {
    fmt::print("{}", help_text());
    return 0;
  }
  if (job->purpose == Purpose::version) {
    fmt::print("gondwana {}\n", GONDWANA_VERSION);
    return 0;
  }
  if (const std::uint32_t most = node_ranks(*job); most > 0) job->hosts = split_hosts(*job, most);
  job->hosts = hosts_in_use(*job);
  if (job->hosts.size() > most_nodes)
    return complain({Errc::refused, fmt::format("{} nodes: at most {} are possible",
                                                job->hosts.size(), most_nodes)},
                    exit_trouble);
  if (job->hosts.size() == 1 && is_this_host(job->hosts[0].name)) job->hosts.clear();
  const bool here = job->hosts.empty();
  if (const Result<void> found = here ? find_files(*job) : Result<void>{}; !found)
    return complain(found.error(), exit_status(found.error().code));
  if (job->purpose == Purpose::show) {
    fmt::print("{}", show(*job));
    return 0;
  }
  return start_job(*job);
}

}  // namespace gondwana::launch
