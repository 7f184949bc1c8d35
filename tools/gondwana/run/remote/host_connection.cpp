#include "run/remote/host_connection.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/pipe.hpp"
#include "base/spawn_process.hpp"
#include "link/way_to_host.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {
namespace {

constexpr std::size_t longest_complaint = 2000;
constexpr std::uint64_t taken_step = std::uint64_t{128} << 10;

}  // namespace

// The command line of a remote launcher.
std::vector<std::string> words_to_start(const Host& host, std::uint32_t peer_timeout_s) {
  return words_to_reach(host, peer_timeout_s, {"run", std::string(remote_launcher_option)});
}

HostConnection::HostConnection(Poller& poller, const Host& host, const Share& share)
    : poller_(&poller), host_(host), share_(share) {}

Result<void> HostConnection::listen(FrameLink::OnFrame on_frame, FrameLink::OnEnd on_end) {
  if (Result<void> watched = link_->start(std::move(on_frame), std::move(on_end)); !watched)
    return watched;
  return poller_->watch(complaints_.get(), EPOLLIN, [this] { read_complaints(); });
}

Result<void> HostConnection::start() {
  Result<Pipe> input = make_pipe("a pipe to a host");
  if (!input) return input.error();
  Result<Pipe> output = make_pipe("a pipe to a host");
  if (!output) return output.error();
  Result<Pipe> error = make_pipe("a pipe to a host");
  if (!error) return error.error();
  const Result<pid_t> pid = spawn_process(words_to_start(host_, share_.peer_timeout_s),
                                          {input->from.get(), output->to.get(), error->to.get()});
  if (!pid)
    return Error{pid.error().code, fmt::format("host {}: {}", host_.name, pid.error().text)};
  pid_ = *pid;
  complaints_ = std::move(error->from);
  make_non_blocking(complaints_);
  link_.emplace(*poller_, std::move(output->from), std::move(input->to), share_.tag);
  return {};
}

void HostConnection::report_output() {
  if (written_ >= taken_step) send(Taken{std::exchange(written_, 0)});
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

HostSeen HostConnection::look() {
  if (complaints_) read_complaints();
  return {share_.node, link_->heard_ns(), link_->has_unread(), complained_};
}

void HostConnection::close(bool is_killed) {
  link_->close();
  if (is_killed && pid_ > 0) ::kill(-pid_, SIGTERM);
}

HostFacts HostConnection::facts() const {
  return {.name = host_.name,
          .way = name_of_way(host_),
          .by_ssh = leads_by_ssh(host_),
          .peer_timeout_s = share_.peer_timeout_s,
          .start_limit_s = link::start_limit_s(share_.peer_timeout_s)};
}

}  // namespace gondwana::launch
