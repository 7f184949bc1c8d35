#include "run/debugger/debugger_windows.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/program_path.hpp"
#include "base/spawn_process.hpp"
#include "core/print_error.hpp"
#include "run/debugger/debugged_ranks.hpp"

namespace gondwana::launch {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool has_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1 &&
         ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

std::vector<std::string> window_command(DebuggerPlace place, std::uint32_t rank,
                                        std::vector<std::string> debugger) {
  std::vector<std::string> words;
  const std::string title = fmt::format("rank {}", rank);
  if (place == DebuggerPlace::tmux) words = {"tmux", "new-window", "-d", "-n", title};
  if (place == DebuggerPlace::xterm) words = {"xterm", "-T", title, "-e"};
  for (std::string& word : debugger) words.push_back(std::move(word));
  return words;
}

// The debugger is in the terminal's foreground while it runs, so it receives all typed input,
// Ctrl-C included.
void run_in_terminal(pid_t debugger) {
  ::tcsetpgrp(STDIN_FILENO, debugger);
  ::kill(-debugger, SIGCONT);  // it may have used the terminal too early, which stopped it
  while (::waitpid(debugger, nullptr, 0) < 0 && errno == EINTR) continue;
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

// Opens windows, and remembers the xterms: tmux closes its windows itself.
class Windows {
 public:
  explicit Windows(DebuggerPlace place) : place_(place) {}

  void open(std::uint32_t rank, const std::vector<std::string>& debugger) {
    const std::array<int, 3> standard{STDIN_FILENO, STDERR_FILENO, STDERR_FILENO};
    const Result<pid_t> window = spawn_process(window_command(place_, rank, debugger), standard);
    if (!window)
      print_error("gondwana run: rank {} waits for a debugger: {}; attach another\n", rank,
                  window.error().text);
    else if (place_ == DebuggerPlace::terminal)
      run_in_terminal(*window);
    else if (place_ == DebuggerPlace::xterm)
      xterms_.push_back(*window);
  }
  void close() {
    for (const pid_t xterm : xterms_) ::kill(xterm, SIGTERM);
  }

 private:
  DebuggerPlace place_;
  std::vector<pid_t> xterms_;
};

// Serves until the launcher closes the other end.
void serve(DebuggerPlace place, const std::vector<RemoteDebugger>& remote, const UniqueFd& from) {
  sigset_t signal;
  ::sigemptyset(&signal);
  ::sigaddset(&signal, SIGTTOU);  // allows taking the terminal back from the background
  ::sigprocmask(SIG_BLOCK, &signal, nullptr);
  ::signal(SIGCHLD, SIG_DFL);  // the parent process may have ignored it
  Windows windows(place);
  for (const RemoteDebugger& debugger : remote) windows.open(debugger.rank, debugger.words);
  WaitingRank waiting;
  while (::read(from.get(), &waiting, sizeof(waiting)) == sizeof(waiting))
    windows.open(waiting.rank, attach_command(waiting.process));
  windows.close();
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) continue;
}

}  // namespace

DebuggerPlace choose_place(std::uint32_t ranks) {
  if (ranks == 1 && has_terminal()) return DebuggerPlace::terminal;
  if (is_set("TMUX") && find_program("tmux", "")) return DebuggerPlace::tmux;
  if (is_set("DISPLAY") && find_program("xterm", "")) return DebuggerPlace::xterm;
  return DebuggerPlace::printed;
}

Result<DebuggerWindows> DebuggerWindows::open(DebuggerPlace place,
                                              const std::vector<RemoteDebugger>& remote) {
  Result<Pipe> pipe = make_pipe("a pipe to ranks under gdb");
  if (!pipe) return pipe.error();
  DebuggerWindows windows(*std::move(pipe));
  windows.process_ = ::fork();
  if (windows.process_ == 0) {
    windows.pipe_.to.reset();
    serve(place, remote, windows.pipe_.from);
    ::_exit(0);
  }
  if (windows.process_ < 0)
    return Error{Errc::out_of_memory,
                 fmt::format("cannot start a process for gdb: {}", std::strerror(errno))};
  windows.pipe_.from.reset();
  return windows;
}

std::string DebuggerWindows::file() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), pipe_.to.get());
}

void DebuggerWindows::close() {
  pipe_.to.reset();
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace gondwana::launch
