#include "run/node/agent_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/own_files.hpp"
#include "base/pipe.hpp"
#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "memory/live.hpp"
#include "run/node/rank_process.hpp"

namespace gondwana::launch {
namespace {

// The time that a rank may need to finalize.
constexpr std::uint64_t time_to_finalize_ns = 1'000'000'000;
constexpr std::uint64_t max_finalize_ns = 5'000'000'000;

Error cannot_start(std::string_view what) {
  return {Errc::out_of_memory, fmt::format("cannot make {} of the node agent: {}; raise ulimit -n",
                                           what, std::strerror(errno))};
}

}  // namespace

AgentProcess::AgentProcess(const Job& job, Poller& poller, WireUp& wire, Streams& streams,
                           const rlimit& descriptors, TellEvent tell)
    : poller_(poller),
      wire_(wire),
      streams_(streams),
      descriptors_(descriptors),
      tell_(std::move(tell)),
      life_(host_name().data()),
      nodes_(job.share.node_capacity(), job.share.total) {}

void AgentProcess::need() {
  if (pid_ != 0) return;
  Result<void> started = start();
  if (started) started = nodes_.open(wire_.nodes());
  if (!started) tell_(Failed{started.error()});
}

Result<void> AgentProcess::start() {
  Result<std::string> path = find_agent();
  if (!path) return path.error();
  if (Result<void> started = start_program(*path); !started) return started;
  if (Result<void> watched = poller_.watch(stderr_.get(), EPOLLIN, [this] { on_said(); }); !watched)
    return watched;
  return watch(EPOLLIN);
}

Result<void> AgentProcess::start_program(std::string& path) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return cannot_start("the socket");
  socket_ = UniqueFd(ends[0]);
  const UniqueFd join(ends[1]);
  const UniqueFd input(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!input) return cannot_start("the output");
  Result<Pipe> error = make_pipe("the output of the node agent");
  if (!error) return error.error();
  stderr_ = std::move(error->from);
  make_non_blocking(stderr_);
  EnvironmentBlock environment(environ);
  environment.set(fmt::format("{}={}", protocol::join_fd_variable, join.get()));

  RankStart start;
  start.path = path;
  start.words = {path.data(), nullptr};
  start.environment = environment.pointers();
  start.input = input.get();
  start.output = input.get();
  start.error = error->to.get();
  start.join = join.get();
  start.descriptors = descriptors_;
  const Result<pid_t> pid = start_rank(start);
  if (!pid) return pid.error();
  pid_ = *pid;
  return {};
}

Result<void> AgentProcess::watch(std::uint32_t events) {
  return poller_.watch(socket_.get(), events, [this] { on_socket(); });
}

void AgentProcess::on_socket() {
  while (socket_ && is_readable(socket_.get())) {
    const Result<std::optional<protocol::Received>> received =
        protocol::receive(socket_.get(), 0, 0);
    if (!received) return tell_(Failed{received.error()});
    if (!*received) return release();
    const protocol::Message& message = (*received)->message;
    if (std::holds_alternative<protocol::Join>(message)) wire_.join_agent();
    if (std::holds_alternative<protocol::Ready>(message)) on_ready();
  }
  if (socket_) send_job();
}

void AgentProcess::on_ready() {
  if (const std::string why = life_.serve(); !why.empty()) streams_.say(why);
  const std::optional<NodeContact> contact = wire_.own_contact();
  if (!contact)
    return tell_(Failed{{Errc::malformed,
                         "the program has damaged the address information of its node agent; look "
                         "for stores outside of its variables"}});
  streams_.tell(ThisNode{contact->pack()});
}

void AgentProcess::on_said() {
  std::array<char, 512> bytes{};
  ssize_t count = 0;
  while (stderr_ && (count = ::read(stderr_.get(), bytes.data(), bytes.size())) > 0)
    for (const std::string& sentence : life_.hear({bytes.data(), static_cast<std::size_t>(count)}))
      streams_.say(sentence);
  if (count != 0 || !stderr_) return;
  poller_.forget(stderr_.get());
  stderr_.reset();
}

void AgentProcess::send_again() {
  if (waits_for_memory_) send_job();
}

void AgentProcess::send_job() {
  const WireUp::Progress progress = wire_.advance_agent(socket_.get());
  waits_for_memory_ = progress == WireUp::Progress::try_later;
  const bool full = progress == WireUp::Progress::wait_for_space;
  if (const Result<void> watched = watch(full ? EPOLLIN | EPOLLOUT : EPOLLIN); !watched)
    tell_(Failed{watched.error()});
}

void AgentProcess::take(std::vector<NodeRow> rows) {
  if (const Result<void> taken = nodes_.take(std::move(rows)); !taken) tell_(Failed{taken.error()});
}

void AgentProcess::release() {
  if (!socket_) return;
  poller_.forget(socket_.get());
  socket_.reset();
  waits_for_memory_ = false;
}

bool AgentProcess::on_child_ended(pid_t pid, int wait_status) {
  if (pid != pid_) return false;
  pid_ = 0;
  on_said();
  release();
  const std::optional<NodeContact> own = wire_.own_contact();
  tell_(life_.end(pid, wait_status, own ? text_in(own->info().network) : "",
                  std::min(stretched(time_to_finalize_ns), max_finalize_ns)));
  return true;
}

}  // namespace gondwana::launch
