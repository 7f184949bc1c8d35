#include "run/io/process_events.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace gondwana::launch {

namespace {

// Signals that end a job and are not ignored: nohup(1) and shells ignore some.
sigset_t ends_that_count() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) ::sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

Result<UniqueFd> watch_children(const sigset_t* also) {
  sigset_t watched;
  ::sigemptyset(&watched);
  if (also != nullptr) watched = *also;
  ::sigaddset(&watched, SIGCHLD);
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE})
    if (::sigismember(&watched, signal) == 0) ::signal(signal, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &watched, nullptr);
  UniqueFd descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (descriptor) return descriptor;
  return Error{Errc::out_of_memory, fmt::format("cannot watch signals: {}", std::strerror(errno))};
}

void clear(const UniqueFd& children) {
  signalfd_siginfo ignored{};
  while (::read(children.get(), &ignored, sizeof(ignored)) > 0) {
  }
}

void reap_children(FunctionRef<void(pid_t pid, int wait_status)> on_ended) {
  int wait_status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &wait_status, WNOHANG)) > 0;) on_ended(pid, wait_status);
}

Result<void> ProcessEvents::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  const sigset_t ends = ends_that_count();
  Result<UniqueFd> children = watch_children(&ends);
  if (!children) return children.error();
  children_ = *std::move(children);
  if (Result<void> done = poller_->watch(children_.get(), EPOLLIN, [this] { on_signals(); }); !done)
    return done;
  return poller_->watch(orders_.get(), EPOLLIN, [this] { on_order(); });
}

void ProcessEvents::on_signals() {
  read_signals();
  reap_children([this](pid_t pid, int status) { handlers_.on_child_ended(pid, status); });
}

void ProcessEvents::read_signals() {
  signalfd_siginfo come{};
  while (::read(children_.get(), &come, sizeof(come)) > 0)
    if (come.ssi_signo != SIGCHLD) take(static_cast<int>(come.ssi_signo), Way::to_us);
}

bool ProcessEvents::hold() {
  holds_ = true;
  has_read_children_ = true;
  read_signals();
  if (held_.empty()) on_order();
  holds_ = false;
  return !held_.empty();
}

void ProcessEvents::deliver_held() {
  for (const auto& tell : std::exchange(held_, {})) tell();
  if (std::exchange(has_read_children_, false)) on_signals();
}

void ProcessEvents::take(int signal, Way way) {
  if (!counts(signal, way)) return;
  if (holds_) return held_.push_back([this, signal] { handlers_.on_signal(signal); });
  handlers_.on_signal(signal);
}

void ProcessEvents::on_order() {
  if (!is_readable(orders_.get())) return;  // kept by hold()
  unsigned char order = 0;
  const ssize_t count = ::read(orders_.get(), &order, 1);
  if (count > 0) return take(order, Way::from_launcher);
  if (count < 0) return;
  poller_->forget(orders_.get());
  if (holds_) return held_.push_back([this] { handlers_.on_launcher_lost(); });
  handlers_.on_launcher_lost();
}

}  // namespace gondwana::launch
