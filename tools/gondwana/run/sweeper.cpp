#include "run/sweeper.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <set>

namespace gondwana::launch {
namespace {

// Launcher and guardian hold pipes on whose end other processes wait: the sweeper keeps none.
void keep_only(int descriptor) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard <= STDERR_FILENO && nothing >= 0; ++standard)
    ::dup2(nothing, standard);
  if (descriptor > STDERR_FILENO + 1)
    ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(descriptor) - 1, 0);
  ::close_range(static_cast<unsigned>(descriptor) + 1, ~0U, 0);
}

[[noreturn]] void sweep(int words) {
  ::setpgid(0, 0);  // a signal to the group of the launcher is not for us
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE})
    ::signal(signal, SIG_IGN);
  keep_only(words);
  std::set<pid_t> groups;
  for (;;) {
    pid_t word = 0;
    const ssize_t count = ::read(words, &word, sizeof(word));
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof(word)) break;  // both are gone
    if (word > 0)
      groups.insert(word);
    else
      groups.erase(-word);
  }
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
  ::_exit(0);
}

}  // namespace

Sweeper Sweeper::open() {
  Sweeper sweeper;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return sweeper;
  sweeper.read_end_ = UniqueFd(ends[0]);
  sweeper.write_end_ = UniqueFd(ends[1]);
  return sweeper;
}

void Sweeper::start() {
  if (!write_end_) return;
  child_ = ::fork();
  if (child_ == 0) sweep(read_end_.get());
  read_end_.reset();
}

void Sweeper::dismiss() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);  // whatever state it is in
  ::waitpid(child_, nullptr, 0);
  child_ = 0;
}

void Sweeper::tell(pid_t word) const {
  if (write_end_) (void)!::write(write_end_.get(), &word, sizeof(word));
}

}  // namespace gondwana::launch
