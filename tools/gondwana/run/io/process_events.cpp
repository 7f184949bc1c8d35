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

Result<UniqueFd> watch_children() {
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE})
    ::signal(signal, SIG_IGN);
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &children, nullptr);
  UniqueFd descriptor(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
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
  Result<UniqueFd> children = watch_children();
  if (!children) return children.error();
  children_ = *std::move(children);
  const auto on_children = [this] {
    clear(children_);
    reap_children([this](pid_t pid, int status) { handlers_.on_child_ended(pid, status); });
  };
  if (Result<void> done = poller_->watch(children_.get(), EPOLLIN, on_children); !done) return done;
  return poller_->watch(orders_.get(), EPOLLIN, [this] { on_order(); });
}

void ProcessEvents::on_order() {
  unsigned char order = 0;
  const ssize_t count = ::read(orders_.get(), &order, 1);
  if (count > 0) return handlers_.on_signal(order);
  if (count < 0) return;
  poller_->forget(orders_.get());
  handlers_.on_launcher_lost();
}

}  // namespace gondwana::launch
