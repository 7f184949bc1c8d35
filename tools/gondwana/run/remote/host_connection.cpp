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

constexpr std::size_t longest_error_text = 2000;
constexpr std::uint64_t taken_step = std::uint64_t{128} << 10;

}  // namespace

// The command line of a remote launcher.
std::vector<std::string> start_command(const Host& host, std::uint32_t peer_timeout_s) {
  return remote_command(host, peer_timeout_s, {"run", std::string(remote_launcher_option)});
}

HostConnection::HostConnection(Poller& poller, const Host& host, const Share& share)
    : poller_(&poller), host_(host), share_(share) {}

Result<void> HostConnection::listen(FrameLink::OnFrame on_frame, FrameLink::OnEnd on_end) {
  if (Result<void> watched = link_->start(std::move(on_frame), std::move(on_end)); !watched)
    return watched;
  return poller_->watch(stderr_.get(), EPOLLIN, [this] { read_stderr(); });
}

Result<void> HostConnection::start() {
  Result<Pipe> input = make_pipe("a pipe to a host");
  if (!input) return input.error();
  Result<Pipe> output = make_pipe("a pipe to a host");
  if (!output) return output.error();
  Result<Pipe> error = make_pipe("a pipe to a host");
  if (!error) return error.error();
  const Result<pid_t> pid = spawn_process(start_command(host_, share_.peer_timeout_s),
                                          {input->from.get(), output->to.get(), error->to.get()});
  if (!pid)
    return Error{pid.error().code, fmt::format("host {}: {}", host_.name, pid.error().text)};
  pid_ = *pid;
  stderr_ = std::move(error->from);
  make_non_blocking(stderr_);
  link_.emplace(*poller_, std::move(output->from), std::move(input->to), share_.tag);
  return {};
}

bool HostConnection::count_output(std::size_t bytes) {
  const bool was_much = written_ >= taken_step;
  written_ += bytes;
  return !was_much && written_ >= taken_step;
}

void HostConnection::read_stderr() {
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  while ((count = ::read(stderr_.get(), buffer.data(), buffer.size())) > 0) {
    stderr_text_.append(buffer.data(), static_cast<std::size_t>(count));
    if (stderr_text_.size() > longest_error_text)
      stderr_text_.erase(0, stderr_text_.size() - longest_error_text);
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  poller_->forget(stderr_.get());
  stderr_.reset();
}

HostSeen HostConnection::look() {
  if (stderr_) read_stderr();
  return {share_.node, link_->heard_ns(), link_->has_unread(), stderr_text_};
}

void HostConnection::close(bool is_killed) {
  link_->close();
  if (is_killed && pid_ > 0) ::kill(-pid_, SIGTERM);
}

HostFacts HostConnection::facts() const {
  return {.name = host_.name,
          .way = transport_name(host_),
          .by_ssh = leads_by_ssh(host_),
          .peer_timeout_s = share_.peer_timeout_s,
          .start_limit_s = link::start_limit_s(share_.peer_timeout_s)};
}

}  // namespace gondwana::launch
