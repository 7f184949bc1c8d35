#include "run/node/agent_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/own_files.hpp"
#include "base/pipe.hpp"
#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/rank_process.hpp"

namespace gondwana::launch {
namespace {

// The time that a rank may need to finalize.
constexpr std::uint64_t time_to_finalize_ns = 1'000'000'000;
constexpr std::uint64_t longest_to_finalize_ns = 5'000'000'000;

Error cannot_start(std::string_view what) {
  return {Errc::out_of_memory, fmt::format("cannot make {} of the node agent: {}; raise ulimit -n",
                                           what, std::strerror(errno))};
}

std::string complaint_of_agent(std::string_view complaint) {
  return fmt::format("the node agent on host {}: {}", host_name().data(), complaint);
}

}  // namespace

AgentProcess::AgentProcess(Poller& poller, WireUp& wire, Streams& streams,
                           const rlimit& descriptors, TellEvent tell)
    : poller_(poller),
      wire_(wire),
      streams_(streams),
      descriptors_(descriptors),
      tell_(std::move(tell)) {}

void AgentProcess::need() {
  if (pid_ != 0) return;
  if (const Result<void> started = start(); !started) tell_(Failed{started.error()});
}

Result<void> AgentProcess::start() {
  Result<std::string> path = find_agent();
  if (!path) return path.error();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return cannot_start("the socket");
  socket_ = UniqueFd(ends[0]);
  const UniqueFd join(ends[1]);
  const UniqueFd input(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!input) return cannot_start("the output");
  Result<Pipe> error = make_pipe("the output of the node agent");
  if (!error) return error.error();
  complaints_ = std::move(error->from);
  make_non_blocking(complaints_);
  EnvironmentBlock environment(environ);
  environment.set(fmt::format("{}={}", protocol::join_fd_variable, join.get()));

  RankStart start;
  start.path = *path;
  start.words = {path->data(), nullptr};
  start.environment = environment.pointers();
  start.input = input.get();
  start.output = input.get();
  start.error = error->to.get();
  start.join = join.get();
  start.descriptors = descriptors_;
  const Result<pid_t> pid = start_rank(start);
  if (!pid) return pid.error();
  pid_ = *pid;
  streams_.uplink()->exchange().on_all([this](const auto& infos) { on_all_nodes(infos); });
  if (Result<void> watched = poller_.watch(complaints_.get(), EPOLLIN, [this] { on_said(); });
      !watched)
    return watched;
  return watch(EPOLLIN);
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
    if (std::holds_alternative<protocol::Ready>(message)) {
      const std::string why = std::exchange(why_, std::nullopt).value_or("");
      if (!why.empty()) streams_.say(complaint_of_agent(why));
      const std::optional<NodeContact> contact = wire_.own_contact();
      if (!contact)
        return tell_(Failed{{Errc::malformed,
                             "the program has damaged the address information of its node agent; "
                             "look for stores outside of its variables"}});
      streams_.uplink()->exchange().offer(contact->pack());
    }
  }
  if (socket_) send_job();
}

// Forwards each line as a message of the launcher: nobody sees the standard error of a remote
// launcher. Lines before the agent serves explain why it does not.
void AgentProcess::on_said() {
  std::array<char, 512> bytes{};
  ssize_t count = 0;
  while (complaints_ && (count = ::read(complaints_.get(), bytes.data(), bytes.size())) > 0) {
    said_.append(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = said_.find('\n')) != std::string::npos;
         said_.erase(0, end + 1))
      pass_on(std::string_view(said_).substr(0, end));
  }
  if (count != 0 || !complaints_) return;
  poller_.forget(complaints_.get());
  complaints_.reset();
}

void AgentProcess::pass_on(std::string_view complaint) {
  constexpr std::string_view own_beginning = "gondwana: node agent: ";
  if (complaint.starts_with(own_beginning)) complaint.remove_prefix(own_beginning.size());
  if (!why_) return streams_.say(complaint_of_agent(complaint));
  if (!why_->empty()) *why_ += " / ";
  *why_ += complaint;
}

void AgentProcess::send_again() {
  if (waits_for_memory_) send_job();
}

void AgentProcess::send_job() {
  const WireUp::Progress progress = wire_.advance_agent(socket_.get());
  waits_for_memory_ = progress == WireUp::Progress::try_later;
  const bool full = progress == WireUp::Progress::wait_for_room;
  if (const Result<void> watched = watch(full ? EPOLLIN | EPOLLOUT : EPOLLIN); !watched)
    tell_(Failed{watched.error()});
}

// The ranks can reach each other now.
void AgentProcess::on_all_nodes(const std::vector<std::string>& infos) {
  NodeTable nodes = wire_.nodes();
  for (std::uint32_t node = 0; node < infos.size(); ++node) {
    const auto contact = NodeContact::unpack(std::as_bytes(std::span(infos[node])));
    if (!contact) {
      return tell_(Failed{
          {Errc::malformed,
           fmt::format("the address information of node {} is garbled; use the same build of "
                       "Gondwana on every host",
                       node)}});
    }
    nodes.write(node, *contact);
    // Release: a rank that loads the state with acquire finds the contact.
    nodes.entry(node).state.store(NodeState::known, std::memory_order_release);
  }
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
  tell_(AgentLost{.pid = pid,
                  .wait_status = wait_status,
                  .complaint = why_.value_or("").empty() ? "" : complaint_of_agent(*why_),
                  .fault = describe_fault_of_ucx(wait_status),
                  .pause_ns = std::min(stretched(time_to_finalize_ns), longest_to_finalize_ns)});
  return true;
}

// UCX 1.13 has an assertion that fails if a connection ends while it is being established.
std::string AgentProcess::describe_fault_of_ucx(int wait_status) const {
  const std::optional<NodeContact> own = wire_.own_contact();
  const bool is_old_ucx =
      own && std::string_view(own->info().network.data()).starts_with("UCX 1.13");
  if (!is_old_ucx || !WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGABRT) return {};
  return ". UCX 1.13 aborts now and then where a connection is lost while it is made; 1.14 does "
         "not";
}

}  // namespace gondwana::launch
