// The part of the guardian that looks after the node agent. There is one where the job has several
// nodes, from the moment when the first rank joins: programs that never do need no network.
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

#include "base/exit_status.hpp"
#include "base/own_files.hpp"
#include "base/pipe.hpp"
#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/guardian.hpp"

namespace gondwana::launch {
namespace {

// As long as a rank that finalizes may take.
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

void Guardian::need_agent() {
  if (job_.share.nodes <= 1 || agent_.pid != 0) return;
  if (const Result<void> started = start_agent(); !started) fail(started.error());
}

Result<void> Guardian::start_agent() {
  Result<std::string> path = find_agent();
  if (!path) return path.error();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return cannot_start("the socket");
  agent_.socket = UniqueFd(ends[0]);
  const UniqueFd join(ends[1]);
  const UniqueFd input(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!input) return cannot_start("the output");
  Result<Pipe> error = make_pipe("the output of the node agent");
  if (!error) return error.error();
  agent_.complaints = std::move(error->from);
  make_non_blocking(agent_.complaints);
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
  agent_.pid = *pid;
  uplink_->exchange().on_all([this](const auto& infos) { on_all_nodes(infos); });
  if (Result<void> watched =
          poller_.watch(agent_.complaints.get(), EPOLLIN, [this] { on_agent_said(); });
      !watched)
    return watched;
  return watch_agent(EPOLLIN);
}

Result<void> Guardian::watch_agent(std::uint32_t events) {
  return poller_.watch(agent_.socket.get(), events, [this] { on_agent_socket(); });
}

void Guardian::on_agent_socket() {
  while (agent_.socket && is_readable(agent_.socket.get())) {
    const Result<std::optional<protocol::Received>> received =
        protocol::receive(agent_.socket.get(), 0, 0);
    if (!received) return fail(received.error());
    if (!*received) return release_agent();
    const protocol::Message& message = (*received)->message;
    if (std::holds_alternative<protocol::Join>(message)) wire_.join_agent();
    if (std::holds_alternative<protocol::Ready>(message)) {
      agent_.serves = true;
      if (!agent_.why.empty()) output_.say(complaint_of_agent(std::exchange(agent_.why, {})));
      const std::optional<NodeContact> contact = wire_.own_contact();
      if (!contact)
        return fail({Errc::malformed,
                     "the program has damaged the address information of its node agent; look for "
                     "stores outside of its variables"});
      uplink_->exchange().offer(contact->pack());
    }
  }
  if (agent_.socket) send_job_to_agent();
}

// Each line is passed on as a sentence of the launcher's: nobody sees the standard error of a
// remote launcher. Before it serves they say why it does not.
void Guardian::on_agent_said() {
  std::array<char, 512> bytes{};
  ssize_t count = 0;
  while (agent_.complaints &&
         (count = ::read(agent_.complaints.get(), bytes.data(), bytes.size())) > 0) {
    agent_.said.append(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = agent_.said.find('\n')) != std::string::npos;
         agent_.said.erase(0, end + 1))
      pass_on(std::string_view(agent_.said).substr(0, end));
  }
  if (count != 0 || !agent_.complaints) return;
  poller_.forget(agent_.complaints.get());
  agent_.complaints.reset();
}

void Guardian::pass_on(std::string_view complaint) {
  constexpr std::string_view own_beginning = "gondwana: node agent: ";
  if (complaint.starts_with(own_beginning)) complaint.remove_prefix(own_beginning.size());
  if (agent_.serves) return output_.say(complaint_of_agent(complaint));
  if (!agent_.why.empty()) agent_.why += " / ";
  agent_.why += complaint;
}

void Guardian::send_job_to_agent() {
  const WireUp::Progress progress = wire_.advance_agent(agent_.socket.get());
  agent_.waits_for_memory = progress == WireUp::Progress::try_later;
  const bool full = progress == WireUp::Progress::wait_for_room;
  if (const Result<void> watched = watch_agent(full ? EPOLLIN | EPOLLOUT : EPOLLIN); !watched)
    fail(watched.error());
}

// From now on the ranks know how to reach each other.
void Guardian::on_all_nodes(const std::vector<std::string>& infos) {
  NodeTable nodes = wire_.nodes();
  for (std::uint32_t node = 0; node < infos.size(); ++node) {
    const auto contact = NodeContact::unpack(std::as_bytes(std::span(infos[node])));
    if (!contact) {
      return fail(
          {Errc::malformed,
           fmt::format(
               "the address information of node {} is garbled; use the same build of Gondwana on "
               "every host",
               node)});
    }
    nodes.write(node, *contact);
    nodes.entry(node).state.store(NodeState::known, std::memory_order_release);  // ranks acquire it
  }
}

// It answers what has come, and ends.
void Guardian::release_agent() {
  if (!agent_.socket) return;
  poller_.forget(agent_.socket.get());
  agent_.socket.reset();
  agent_.waits_for_memory = false;
}

void Guardian::on_agent_ended(int wait_status) {
  const pid_t pid = std::exchange(agent_.pid, 0);
  on_agent_said();
  release_agent();
  if (ending_.state() != Ending::State::idle) return;
  if (!agent_.why.empty()) return end_job_because(complaint_of_agent(agent_.why), exit_failure);
  const std::uint64_t pause_ns = std::min(stretched(time_to_finalize_ns), longest_to_finalize_ns);
  agent_.lost = LostAgent{pid, wait_status, monotonic_ns() + pause_ns};
}

// To ranks that have finalized it is no loss.
void Guardian::look_for_lost_agent() {
  if (!agent_.lost || ending_.state() != Ending::State::idle) return;
  const auto& [pid, wait_status, tell_at_ns] = *agent_.lost;
  if (all_have_finalized()) return agent_.lost.reset();
  if (monotonic_ns() < tell_at_ns) return;
  end_job_because(fmt::format("the node agent on host {} (pid {}) {}; all ranks are ended{}",
                              host_name().data(), pid, how_it_ended(wait_status),
                              describe_fault_of_ucx(wait_status)),
                  exit_failure);
}

// UCX 1.13 has an assertion that does not hold where a connection ends while it is made.
std::string Guardian::describe_fault_of_ucx(int wait_status) const {
  const std::optional<NodeContact> own = wire_.own_contact();
  const bool is_old_ucx =
      own && std::string_view(own->info().network.data()).starts_with("UCX 1.13");
  if (!is_old_ucx || !WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGABRT) return {};
  return ". UCX 1.13 aborts now and then where a connection is lost while it is made; 1.14 does "
         "not";
}

}  // namespace gondwana::launch
