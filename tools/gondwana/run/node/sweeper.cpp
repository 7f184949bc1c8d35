#include "run/node/sweeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/exit_status.hpp"
#include "base/pipe.hpp"
#include "core/print_error.hpp"
#include "run/io/process_events.hpp"
#include "run/node/descendants.hpp"

namespace gondwana::launch {
namespace {

// Other processes wait until the pipes of launcher and guardian are closed, so the sweeper closes
// its copies.
void keep_only(std::array<int, 3> kept) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard <= STDERR_FILENO && nothing >= 0; ++standard)
    ::dup2(nothing, standard);
  std::ranges::sort(kept);
  unsigned first = STDERR_FILENO + 1;
  for (const int descriptor : kept) {
    const auto next = static_cast<unsigned>(descriptor);
    if (next > first) ::close_range(first, next - 1, 0);
    first = next + 1;
  }
  ::close_range(first, ~0U, 0);
}

// The loop of the sweeper process.
class Watch {
 public:
  Watch(pid_t guardian, UniqueFd words, UniqueFd reports)
      : guardian_(guardian), words_(std::move(words)), reports_(std::move(reports)) {
    // Signals to the launcher's group must not reach the sweeper. It needs its own session, not
    // only a group: the guardian is its child in the launcher's group. If the guardian's end left
    // that group orphaned, the kernel would send SIGHUP to the whole group as soon as one process
    // is stopped.
    ::setsid();
    if (Result<UniqueFd> children = watch_children(); children) children_ = *std::move(children);
    make_non_blocking(words_);
    keep_only({words_.get(), reports_.get(), children_.get()});
  }

  void run() {
    int wait_status = 0;
    while (::waitpid(guardian_, &wait_status, WNOHANG) == 0) wait();
    hear();
    const bool were_left = have_children();
    if (were_left) below_.end_all();
    const Sweeper::Report report{guardian_, wait_status, were_left};
    (void)!::write(reports_.get(), &report, sizeof(report));  // fails if the launcher has gone
  }

 private:
  // Waits for the end of a child or a message. Without a descriptor for children it polls.
  void wait() {
    std::array<pollfd, 2> sources{{{children_.get(), POLLIN, 0}, {words_.get(), POLLIN, 0}}};
    ::poll(sources.data(), words_ ? 2 : 1, children_ ? -1 : 10);
    clear(children_);
    hear();
  }

  void hear() {
    while (words_) {
      pid_t word = 0;
      const ssize_t count = ::read(words_.get(), &word, sizeof(word));
      if (count < 0) return;
      if (count != sizeof(word)) return words_.reset();  // the guardian ends
      if (word > 0)
        below_.add_group(word);
      else
        below_.remove_group(-word);
    }
  }

  pid_t guardian_;
  UniqueFd words_;
  UniqueFd reports_;
  UniqueFd children_;
  Descendants below_;
};

[[noreturn]] void become_sweeper(Pipe words, Pipe reports, FunctionRef<void(SweeperLink)> guard) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  reports.from.reset();
  const pid_t guardian = ::fork();
  if (guardian == 0) {
    words.from.reset();
    reports.to.reset();
    guard(SweeperLink(std::move(words.to)));
    std::abort();
  }
  if (guardian < 0) {
    print_error("gondwana run: {}\n", no_process().text);
    const Sweeper::Report report{::getpid(), W_EXITCODE(exit_failure, 0), false};
    (void)!::write(reports.to.get(), &report, sizeof(report));
    ::_exit(0);
  }
  words.to.reset();
  Watch(guardian, std::move(words.from), std::move(reports.to)).run();
  ::_exit(0);
}

}  // namespace

Error no_process() {
  return {Errc::out_of_memory,
          fmt::format("cannot start a process: {}; is their number limited (ulimit -u, pids.max)?",
                      std::strerror(errno))};
}

void SweeperLink::tell(pid_t word) const {
  (void)!::write(words_.get(), &word, sizeof(word));
}

Result<Sweeper> Sweeper::start(FunctionRef<void(SweeperLink)> guard) {
  Result<Pipe> words = make_pipe();
  if (!words) return words.error();
  Result<Pipe> reports = make_pipe();
  if (!reports) return reports.error();
  const pid_t pid = ::fork();
  if (pid == 0) become_sweeper(*std::move(words), *std::move(reports), guard);
  if (pid < 0) return no_process();
  make_non_blocking(reports->from);
  return Sweeper(pid, std::move(reports->from));
}

std::optional<Sweeper::Report> Sweeper::report() const {
  Report report{};
  const ssize_t count = ::read(reports_.get(), &report, sizeof(report));
  return count == sizeof(report) ? std::optional(report) : std::nullopt;
}

}  // namespace gondwana::launch
