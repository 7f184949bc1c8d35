#include "run/remote/host_connection.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>

#include "base/exit_status.hpp"
#include "base/pipe.hpp"
#include "base/spawn_process.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "link/way_to_host.hpp"
#include "run/node/diagnosis.hpp"
#include "run/remote/remote_launcher.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t never_ns = std::numeric_limits<std::uint64_t>::max();
// From the end of the pipe to the status of the process, or the other way round.
constexpr std::uint64_t both_ends_ns = 3 * second_ns;
constexpr std::size_t longest_complaint = 2000;

// What ssh says last of a connection that is gone tells nothing that we do not say.
std::string without_consequence(const std::string& said) {
  std::istringstream lines(said);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    if (line.find("Broken pipe") == std::string::npos) result += line + '\n';
  return result;
}

}  // namespace

// As a remote launcher.
std::vector<std::string> words_to_start(const Host& host, std::uint32_t peer_timeout_s) {
  return words_to_reach(host, peer_timeout_s, {"run", std::string(remote_launcher_option)});
}

HostConnection::HostConnection(Poller& poller, const Host& host, const Share& share)
    : poller_(&poller), host_(host), share_(share) {}

Result<void> HostConnection::start(OnFrame on_frame) {
  on_frame_ = std::move(on_frame);
  if (Result<void> started = spawn(words_to_start(host_, share_.peer_timeout_s)); !started)
    return started;
  Result<void> watched = link_->start([this](Frame& frame) { take_frame(frame); },
                                      [this](const std::string& why) {
                                        malformed_ = why;
                                        see_loss();
                                      });
  if (!watched) return watched;
  return poller_->watch(complaints_.get(), EPOLLIN, [this] { read_complaints(); });
}

Result<void> HostConnection::spawn(const std::vector<std::string>& words) {
  Result<Pipe> input = make_pipe("a pipe to a host");
  if (!input) return input.error();
  Result<Pipe> output = make_pipe("a pipe to a host");
  if (!output) return output.error();
  Result<Pipe> error = make_pipe("a pipe to a host");
  if (!error) return error.error();
  const Result<pid_t> pid =
      spawn_process(words, {input->from.get(), output->to.get(), error->to.get()});
  if (!pid)
    return Error{pid.error().code, fmt::format("host {}: {}", host_.name, pid.error().text)};
  pid_ = *pid;
  complaints_ = std::move(error->from);
  make_non_blocking(complaints_);
  link_.emplace(*poller_, std::move(output->from), std::move(input->to), share_.tag);
  return {};
}

void HostConnection::send(const Frame& frame) {
  if (link_) link_->send(frame);
}

void HostConnection::take_frame(Frame& frame) {
  if (std::holds_alternative<Hello>(frame)) hello_ = true;
  if (std::holds_alternative<Ended>(frame)) over_ = true;
  on_frame_(*this, frame);
  if (over_) link_->close();  // ssh ends, too, when its input does
}

void HostConnection::read_complaints() {
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  while ((count = ::read(complaints_.get(), buffer.data(), buffer.size())) > 0) {
    complained_.append(buffer.data(), static_cast<std::size_t>(count));
    if (complained_.size() > longest_complaint)
      complained_.erase(0, complained_.size() - longest_complaint);
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  poller_->forget(complaints_.get());
  complaints_.reset();
}

void HostConnection::on_child_ended(int wait_status) {
  wait_status_ = wait_status;
  pid_ = 0;
  see_loss();
}

void HostConnection::see_loss() {
  if (told_by_ns_ == 0) told_by_ns_ = monotonic_ns() + stretched(both_ends_ns);
}

void HostConnection::abandon() {
  over_ = true;
  if (link_) link_->close();
  if (pid_ > 0) ::kill(-pid_, SIGTERM);
}

std::optional<std::string> HostConnection::loss() {
  if (over_ || !link_) return std::nullopt;
  const std::uint64_t now = monotonic_ns();
  const bool ended = now >= ended_at_ns();
  // We ourselves may have been stopped: what came in the meantime counts.
  const bool silent = now >= silent_at_ns() && !link_->has_unread();
  if (!ended && !silent) return std::nullopt;
  if (complaints_) read_complaints();
  std::string sentence = ended ? describe_end() : describe_silence();
  abandon();
  return sentence;
}

std::optional<std::uint64_t> HostConnection::next_ns() const {
  if (over_ || !link_) return std::nullopt;
  const std::uint64_t next = std::min(ended_at_ns(), silent_at_ns());
  return next != never_ns ? std::optional(next) : std::nullopt;
}

// The pipe and the process end together; the second has some time to follow the first.
std::uint64_t HostConnection::ended_at_ns() const {
  if (told_by_ns_ == 0) return never_ns;
  const bool known = !malformed_.empty() || (wait_status_ && !link_->is_open());
  return known ? 0 : told_by_ns_;
}

std::uint64_t HostConnection::silent_at_ns() const {
  if (share_.peer_timeout_s == 0 || !link_->is_open()) return never_ns;
  return link_->heard_ns() + silence_limit_s() * second_ns;
}

std::uint64_t HostConnection::silence_ns() const {
  return link_ ? monotonic_ns() - link_->heard_ns() : never_ns;
}

std::uint32_t HostConnection::silence_limit_s() const {
  return hello_ ? share_.peer_timeout_s : link::start_limit_s(share_.peer_timeout_s);
}

int HostConnection::loss_status() const {
  // Before the remote launcher runs a status is that of ssh, or of a shell there.
  const int status = wait_status_ ? exit_status(*wait_status_) : 0;
  const bool told = hello_ || (wait_status_ && WIFSIGNALED(*wait_status_));
  return told && status != 0 && status != link::ssh_cannot_connect ? status : exit_failure;
}

std::string HostConnection::describe_silence() const {
  const std::string since = hello_ ? "" : fmt::format(" since {} was started", name_of_way(host_));
  return fmt::format("host {} has said nothing for {} s{}; it counts as dead and the job is ended",
                     host_.name, silence_limit_s(), since);
}

std::string HostConnection::describe_end() const {
  const std::string reason = link::one_line(without_consequence(complained_));
  const std::string said = reason.empty() ? "" : ": " + reason;
  if (!malformed_.empty()) {
    return fmt::format("host {}: {}{}", host_.name, malformed_,
                       hello_ ? "" : "; does a start file of the shell there print something?");
  }
  const std::string how = wait_status_ ? how_it_ended(*wait_status_) : "closed its output";
  if (hello_) {
    return fmt::format("the connection to host {} is lost, {} {}{}; the job is ended", host_.name,
                       name_of_way(host_), how, said);
  }
  const int status = wait_status_ && WIFEXITED(*wait_status_) ? WEXITSTATUS(*wait_status_) : -1;
  if (status == link::ssh_cannot_connect && leads_by_ssh(host_))
    return fmt::format("host {}: ssh cannot connect{}", host_.name, said);
  const bool no_command = status == exit_not_found || status == exit_not_runnable;
  return fmt::format(
      "host {}: cannot start the remote launcher, {} {}{}{}", host_.name, name_of_way(host_), how,
      said, no_command ? "; say by GONDWANA_REMOTE_PATH where the command gondwana is there" : "");
}

}  // namespace gondwana::launch
