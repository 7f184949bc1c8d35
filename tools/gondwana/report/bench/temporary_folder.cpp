#include "report/bench/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is of POSIX
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace gondwana::bench {
namespace {

namespace fs = std::filesystem;

// Empty if TMPDIR is not a folder.
std::string name_pattern() {
  std::error_code failure;
  const fs::path folder = fs::temp_directory_path(failure);
  if (failure) return "";
  return (fs::absolute(folder, failure) / "gondwana-bench-XXXXXX").string();
}

// A compiler that outlives the owner may still add a file; removal is retried then.
void remove_folder(const std::string& folder) {
  constexpr int max_tries = 100;
  constexpr unsigned pause_us = 10'000;
  for (int tries = 0; tries < max_tries; ++tries) {
    std::error_code failure;
    fs::remove_all(folder, failure);
    if (!failure) return;
    ::usleep(pause_us);
  }
}

// A Ctrl-C must end the owner first, and this process after it. An inherited pipe would stay open
// after the owner's end.
void leave_terminal() {
  ::setsid();
  const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing.get(), fd);
}

// Answers with the path, or with "!" and the reason for the failure.
[[noreturn]] void keep_folder(const UniqueFd& link, std::string folder) {
  leave_terminal();
  const bool made = ::mkdtemp(folder.data()) != nullptr;
  const std::string answer = made ? folder : fmt::format("!{}", std::strerror(errno));
  (void)!::send(link.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
  char end = 0;
  while (::read(link.get(), &end, 1) < 0 && errno == EINTR) continue;
  if (made) remove_folder(folder);
  ::_exit(0);
}

Error no_folder(const std::string& pattern, std::string_view why) {
  return {Errc::refused,
          fmt::format("{}: no folder for the program of the peer: {}", pattern, why)};
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  const std::string pattern = name_pattern();
  if (pattern.empty()) return no_folder("TMPDIR", "it names no folder");
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return no_folder(pattern, std::strerror(errno));
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t keeper = ::fork();
  if (keeper < 0) return no_folder(pattern, std::strerror(errno));
  if (keeper == 0) {
    ours.reset();
    keep_folder(theirs, pattern);
  }
  theirs.reset();
  TemporaryFolder folder(std::move(ours), keeper);
  std::array<char, 4096> answer{};
  const ssize_t count = ::recv(folder.link_.get(), answer.data(), answer.size(), 0);
  folder.path_.assign(answer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  if (folder.path_.starts_with('/')) return folder;
  return no_folder(pattern, folder.path_.empty() ? "the process that keeps it has ended"
                                                 : folder.path_.substr(1));
}

TemporaryFolder::~TemporaryFolder() {
  if (holder_process_ == 0) return;
  link_.reset();
  while (::waitpid(holder_process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace gondwana::bench
