#include "observe/hosts/observed_host.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/exit_status.hpp"
#include "base/pipe.hpp"
#include "base/spawn_process.hpp"
#include "link/way_to_host.hpp"
#include "memory/layout.hpp"
#include "observe/hosts/observer.hpp"

namespace gondwana::hosts {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds check_interval{100};
constexpr milliseconds no_limit = std::chrono::hours(24 * 365);

// Waits up to `time` for the process, and returns its wait status.
std::optional<int> wait_for(pid_t pid, milliseconds time) {
  const auto end = steady_clock::now() + time;
  for (;;) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return status;
    if (steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(5));
  }
}

// Reads all bytes that are available now.
std::string read_all(const UniqueFd& file) {
  std::string text;
  std::array<char, 4096> buffer;
  make_non_blocking(file);
  for (ssize_t count = 0; (count = ::read(file.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  return text;
}

}  // namespace

ObservedHost::ObservedHost(ObservedHost&& other) noexcept
    : host_(std::move(other.host_)),
      silence_s_(other.silence_s_),
      pid_(std::exchange(other.pid_, 0)),
      link_(std::move(other.link_)),
      stderr_(std::move(other.stderr_)),
      parser_(std::move(other.parser_)),
      is_greeted_(other.is_greeted_) {}

Result<void> ObservedHost::start() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return Error{Errc::refused, fmt::format("host {}: cannot create a socket pair: {}", name(),
                                            std::strerror(errno))};
  link_ = UniqueFd(pair[0]);
  const UniqueFd theirs(pair[1]);
  Result<Pipe> error = make_pipe("a pipe to a host");
  if (!error) return error.error();
  const auto words = link::remote_command(host_, silence_s_, {"ps", std::string(observer_option)});
  const Result<pid_t> pid = spawn_process(words, {theirs.get(), theirs.get(), error->to.get()});
  if (!pid) return Error{pid.error().code, fmt::format("host {}: {}", name(), pid.error().text)};
  pid_ = *pid;
  stderr_ = std::move(error->from);
  return {};
}

// If the host has ended, reading its answer reports that.
void ObservedHost::ask(const Message& question) {
  const std::string bytes = encode(question);
  (void)::send(link_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

Result<Message> ObservedHost::answer(milliseconds time, FunctionRef<bool()> continues) {
  if (!is_greeted_) {
    Result<Message> first = next(steady_clock::now() + timeout() + time, continues);
    if (!first) return first;
    const auto* greeting = std::get_if<Greeting>(&*first);
    if (greeting == nullptr || greeting->layout != memory_fingerprint) {
      end();
      return Error{Errc::malformed,
                   fmt::format("host {}: the command gondwana there is another build{}", name(),
                               greeting == nullptr ? "" : ", version " + greeting->version)};
    }
    is_greeted_ = true;
  }
  return next(steady_clock::now() + timeout() + time, continues);
}

milliseconds ObservedHost::timeout() const {
  if (silence_s_ == 0) return no_limit;
  return std::chrono::seconds(is_greeted_ ? silence_s_ : link::start_limit_s(silence_s_));
}

Result<Message> ObservedHost::next(Time end_of_time, FunctionRef<bool()> continues) {
  const Time begin = steady_clock::now();
  while (continues()) {
    Result<std::optional<Message>> message = parser_.next();
    if (!message) {
      end();
      return Error{message.error().code, fmt::format("host {}: {}", name(), message.error().text)};
    }
    if (*message) return **std::move(message);
    if (steady_clock::now() >= end_of_time) {
      end();
      return silence(std::chrono::duration_cast<milliseconds>(end_of_time - begin));
    }
    if (const Result<bool> more = read_some(); !more) return more.error();
  }
  end_now();  // the caller waits for the process no longer than for its answer
  return Error{Errc::refused, fmt::format("host {}: it has not answered in time", name())};
}

// Waits briefly for bytes. Returns false if none arrived.
Result<bool> ObservedHost::read_some() {
  pollfd link{.fd = link_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&link, 1, static_cast<int>(check_interval.count())) <= 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(link_.get(), buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return false;
  if (count <= 0) return loss();
  parser_.add({buffer.data(), static_cast<std::size_t>(count)});
  return true;
}

Error ObservedHost::silence(milliseconds time) const {
  return {Errc::peer_lost,
          fmt::format("host {}: it has not answered for {} s", name(),
                      std::chrono::duration_cast<std::chrono::seconds>(time).count())};
}

// The connection was closed. The reason is in the output of the process or in its status.
Error ObservedHost::loss() {
  const std::optional<int> status = wait_for(pid_, std::chrono::seconds(1));
  if (status) pid_ = 0;
  const std::string said = link::one_line(read_all(stderr_));
  const std::string reason = said.empty() ? "" : ": " + said;
  end();
  const bool was_there = is_greeted_;
  const char* way = link::transport_name(host_);
  const int code = status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  if (code == link::ssh_cannot_connect && !was_there && link::leads_by_ssh(host_))
    return {Errc::peer_lost, fmt::format("host {}: ssh cannot connect{}", name(), reason)};
  const bool no_command = code == exit_not_found || code == exit_not_runnable;
  return {Errc::peer_lost,
          fmt::format(
              "host {}: {}{} {}{}{}", name(), was_there ? "the connection is lost, " : "", way,
              status ? describe_exit(*status) : "closed its output", reason,
              no_command ? "; set GONDWANA_REMOTE_PATH to the command gondwana on that host" : "")};
}

// The observer exits when its input ends, and so does ssh.
void ObservedHost::end() {
  link_.reset();
  if (pid_ <= 0) return;
  if (!wait_for(pid_, milliseconds(300))) {
    ::kill(-pid_, SIGTERM);
    if (!wait_for(pid_, std::chrono::seconds(1))) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  pid_ = 0;
}

void ObservedHost::end_now() {
  link_.reset();
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace gondwana::hosts
