#include "report/bench/output_of.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/unique_fd.hpp"

namespace gondwana::bench {
namespace {

Error failed(const std::vector<std::string>& words, std::string_view what) {
  return {Errc::refused, fmt::format("{}: {}", fmt::join(words, " "), what)};
}

[[noreturn]] void become(char* const* arguments, int output, int failures, pid_t parent) {
  // A job that outlives this command would disturb the next measurement.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
  // Standard input belongs to the script that calls this command; a launcher would read all of it.
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::execvp(arguments[0], arguments);
  (void)!::write(failures, &errno, sizeof errno);
  ::_exit(EXIT_FAILURE);
}

// The process stays in our process group, so Ctrl-C ends it too.
Result<pid_t> start(const std::vector<std::string>& words, int output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed(words, std::strerror(errno));
  const UniqueFd failures(ends[0]);
  UniqueFd to(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(arguments.data(), output, to.get(), parent);
  if (pid < 0) return failed(words, std::strerror(errno));
  to.reset();
  int failure = 0;  // exec closes the pipe
  if (::read(failures.get(), &failure, sizeof failure) != sizeof failure) return pid;
  ::waitpid(pid, nullptr, 0);
  return failed(words, std::strerror(failure));
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<void> wait_for_end(const std::vector<std::string>& words, pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFSIGNALED(status))
    return failed(words, fmt::format("it was killed by signal {}", WTERMSIG(status)));
  return failed(words, fmt::format("it ended with status {}", WEXITSTATUS(status)));
}

}  // namespace

Result<std::string> output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed(words, std::strerror(errno));
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const Result<pid_t> pid = start(words, to.get());
  to.reset();
  if (!pid) return pid.error();
  std::string text = read_all(from.get());
  if (const Result<void> ended = wait_for_end(words, *pid); !ended) return ended.error();
  return text;
}

Result<void> run_at_once(const std::vector<std::string>& words, std::uint32_t copies) {
  std::vector<pid_t> started;
  Result<void> outcome;
  for (std::uint32_t i = 0; i < copies && outcome; ++i) {
    const Result<pid_t> pid = start(words, STDOUT_FILENO);
    if (pid)
      started.push_back(*pid);
    else
      outcome = pid.error();
  }
  for (const pid_t pid : started)
    if (const Result<void> ended = wait_for_end(words, pid); !ended) outcome = ended;
  return outcome;
}

}  // namespace gondwana::bench
