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

#include "run/command_line/program_path.hpp"
#include "run/debugger/debugged_ranks.hpp"
#include "run/remote/spawn_process.hpp"

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

std::vector<std::string> words_of_window(DebuggerPlace place, const WaitingRank& waiting) {
  std::vector<std::string> words;
  const std::string title = fmt::format("rank {}", waiting.rank);
  if (place == DebuggerPlace::tmux) words = {"tmux", "new-window", "-d", "-n", title};
  if (place == DebuggerPlace::xterm) words = {"xterm", "-T", title, "-e"};
  for (std::string& word : words_to_attach(waiting.process)) words.push_back(std::move(word));
  return words;
}

// In the foreground of the terminal as long as it runs: what is typed, Ctrl-C included, is for it.
void run_in_terminal(pid_t debugger) {
  ::tcsetpgrp(STDIN_FILENO, debugger);
  ::kill(-debugger, SIGCONT);  // it may have asked for the terminal too early, and was stopped
  while (::waitpid(debugger, nullptr, 0) < 0 && errno == EINTR) continue;
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

// Returns the process of an xterm, else 0: tmux closes its windows itself.
pid_t open_window(DebuggerPlace place, const WaitingRank& waiting) {
  const std::array<int, 3> standard{STDIN_FILENO, STDERR_FILENO, STDERR_FILENO};
  const Result<pid_t> debugger = spawn_process(words_of_window(place, waiting), standard);
  if (!debugger)
    fmt::print(stderr, "gondwana run: rank {} (pid {}) waits for a debugger: {}; attach another\n",
               waiting.rank, waiting.process, debugger.error().text);
  else if (place == DebuggerPlace::terminal)
    run_in_terminal(*debugger);
  return debugger && place == DebuggerPlace::xterm ? *debugger : 0;
}

// Until the launcher, which holds the other end, closes it.
void serve(DebuggerPlace place, const UniqueFd& from) {
  sigset_t signal;
  ::sigemptyset(&signal);
  ::sigaddset(&signal, SIGTTOU);  // to take the terminal back from the background
  ::sigprocmask(SIG_BLOCK, &signal, nullptr);
  ::signal(SIGCHLD, SIG_DFL);  // our parent may have ignored it
  std::vector<pid_t> xterms;
  WaitingRank waiting;
  while (::read(from.get(), &waiting, sizeof(waiting)) == sizeof(waiting))
    if (const pid_t xterm = open_window(place, waiting); xterm > 0) xterms.push_back(xterm);
  for (const pid_t xterm : xterms) ::kill(xterm, SIGTERM);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) continue;
}

}  // namespace

DebuggerPlace choose_place(std::uint32_t ranks) {
  if (ranks == 1 && has_terminal()) return DebuggerPlace::terminal;
  if (is_set("TMUX") && find_program("tmux", "")) return DebuggerPlace::tmux;
  if (is_set("DISPLAY") && find_program("xterm", "")) return DebuggerPlace::xterm;
  return DebuggerPlace::printed;
}

Result<DebuggerWindows> DebuggerWindows::open(DebuggerPlace place) {
  Result<Pipe> pipe = make_pipe("a pipe to ranks under gdb");
  if (!pipe) return pipe.error();
  DebuggerWindows windows(*std::move(pipe));
  windows.process_ = ::fork();
  if (windows.process_ == 0) {
    windows.pipe_.to.reset();
    serve(place, windows.pipe_.from);
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
