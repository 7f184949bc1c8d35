// The launcher is a thin parent of the guardian: it passes signals on and waits. Each of the two
// can be killed: the other, a child subreaper too, then ends everybody below.
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
#include <filesystem>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/command_line.hpp"
#include "run/descendants.hpp"
#include "run/exit_status.hpp"
#include "run/guardian.hpp"
#include "run/job.hpp"
#include "run/program_path.hpp"
#include "run/show.hpp"
#include "run/verdict.hpp"

namespace gondwana::launch {
namespace {

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

// The guardian was killed, and with it the ranks; what they had started is ours now.
int clean_up_after(pid_t guardian, int wait_status) {
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
  fmt::print(stderr, "gondwana run: the guardian of the job (pid {}) {}; all ranks were ended\n",
             guardian, how);
  return exit_status(wait_status);
}

// Tells the guardian of each signal until it ends; returns its status.
int supervise(pid_t guardian, const UniqueFd& orders, const sigset_t& signals) {
  for (;;) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal == SIGCHLD) {
      int wait_status = 0;
      if (::waitpid(guardian, &wait_status, WNOHANG) != guardian) continue;
      if (WIFEXITED(wait_status) && !have_children()) return WEXITSTATUS(wait_status);
      return clean_up_after(guardian, wait_status);
    }
    if (signal < 0) continue;
    const auto order = static_cast<unsigned char>(signal);
    (void)!::write(orders.get(), &order, 1);  // fails only when the guardian has just ended
    if (signal == SIGTSTP) ::raise(SIGSTOP);
  }
}

[[noreturn]] void guard(const Job& job, UniqueFd orders) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Result<Poller> poller = Poller::create();
  if (!poller) ::_exit(complain(poller.error(), exit_trouble));
  Guardian guardian(job, std::move(orders), *std::move(poller));
  ::_exit(guardian.run());
}

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
  const pid_t guardian = ::fork();
  if (guardian == 0) {
    orders.reset();
    guard(job, std::move(from_launcher));
  }
  if (guardian < 0) {
    return complain({Errc::out_of_memory,
                     fmt::format("cannot start a process: {}; is their number limited (ulimit -u, "
                                 "pids.max)?",
                                 std::strerror(errno))},
                    exit_trouble);
  }
  from_launcher.reset();
  return supervise(guardian, orders, signals);
}

// Finds what would otherwise fail in the middle of the start.
Result<void> find_files(Job& job) {
  std::error_code failure;
  for (Program& program : job.programs) {
    if (!program.folder.empty() && !std::filesystem::is_directory(program.folder, failure))
      return Error{Errc::invalid_argument,
                   fmt::format("--wdir {}: there is no such folder", program.folder)};
    Result<std::string> path = find_program(program.words[0], program.folder);
    if (!path) return path.error();
    program.path = *std::move(path);
  }
  if (job.output_folder.empty() || job.purpose == Purpose::show) return {};
  std::filesystem::create_directories(job.output_folder, failure);
  if (failure) {
    return Error{Errc::invalid_argument, fmt::format("--output {}: cannot make this folder: {}",
                                                     job.output_folder, failure.message())};
  }
  return {};
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  occupy_standard_descriptors();
  Result<Job> job = parse_command_line(words);
  if (!job) return complain(job.error(), exit_trouble);
  if (job->purpose == Purpose::help) {
    fmt::print("{}", help_text());
    return 0;
  }
  if (const Result<void> found = find_files(*job); !found)
    return complain(found.error(), exit_status(found.error().code));
  if (job->purpose == Purpose::show) {
    fmt::print("{}", show(*job));
    return 0;
  }
  return start_job(*job);
}

}  // namespace gondwana::launch
