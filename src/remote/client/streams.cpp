#include "remote/client/streams.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "core/load.hpp"
#include "core/machine.hpp"
#include "memory/job_end.hpp"
#include "remote/client/messages_to.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t check_interval_ns = 100'000'000;

std::string ranks_of(const NodeInfo& node) {
  const std::uint32_t first = index(node.ranks.front());
  return node.ranks.size() == 1 ? fmt::format("rank {}", first)
                                : fmt::format("ranks {} to {}", first, index(node.ranks.back()));
}

}  // namespace

Streams::Streams(const Setup& setup)
    : shared_{.route = setup.route,
              .slots = {setup.memory, setup.me},
              .tag = setup.job_tag,
              .me = number_of(index(setup.me), setup.incarnation),
              .batch_limit = setup.batch_limit,
              .traffic = setup.memory.page(setup.me).traffic},
      memory_(setup.memory),
      nodes_(setup.nodes),
      agent_(setup.agent),
      deaths_(setup.memory) {
  if (setup.incarnation > 0) shared_.slots.reclaim();
}

Stream& Streams::to(std::uint32_t node) {
  const auto [stream, is_new] = streams_.try_emplace(node, shared_, node);
  if (is_new) memory_.entry(node).is_used.store(1, std::memory_order_relaxed);
  if (is_new && end_) stream->second.lose(*end_);
  return stream->second;
}

// A dead rank may be started again on another node.
Stream& Streams::find_last(Rank rank) {
  Stream& stream = to(nodes_.node_of(rank));
  if (deaths_.has(rank)) return stream;
  last_ = &stream;
  last_rank_ = rank;
  return stream;
}

// Requests that are in a batch already are for processes that the rank knew.
void Streams::heed(std::uint32_t changes) {
  if (changes <= shared_.heeded) return;
  shared_.heeded = changes;
  last_ = nullptr;
  for (Stream* stream : shared_.open) stream->seal();
}

void Streams::gather(bool begins) {
  shared_.gathers += begins ? 1U : -1U;
  if (shared_.gathers > 0) return;
  for (Stream* stream : std::vector(shared_.open)) {
    [[maybe_unused]] const Result<Posted> sent =
        judge(stream->node(), stream->flush(Stream::Urgency::send));
  }
}

bool Streams::flush() {
  if (shared_.open.empty()) return false;
  const std::vector<Stream*> open = shared_.open;
  for (Stream* stream : open) {
    const auto urgency = stream->has_grown() ? Stream::Urgency::gather : Stream::Urgency::send;
    [[maybe_unused]] const Result<Posted> sent = judge(stream->node(), stream->flush(urgency));
  }
  return shared_.open.size() < open.size();
}

bool Streams::have_departed() const {
  return std::ranges::all_of(streams_, [](const auto& each) {
    const Stream& stream = each.second;
    return !stream.is_open() && (stream.is_answered() || stream.is_done());
  });
}

// The reason if no node can be reached.
std::optional<Error> Streams::find_end() const {
  const NodeInfo& own = nodes_[memory_.plan().node];
  if (shared_.route.was_closed()) {
    return Error{
        Errc::refused,
        "the connections of this rank to other nodes were closed, for example by closefrom(3); "
        "keep the descriptors that the library opened, or set GONDWANA_ROUTE=agent"};
  }
  if (const std::uint32_t owner = memory_.header().shortened.load(std::memory_order_acquire);
      owner > 0) {
    return Error{Errc::peer_lost,
                 fmt::format("the node agent on host {} has ended: rank {} has a segment on a file "
                             "that was made shorter; do not shorten files while they are segments",
                             own.host.data(), owner - 1)};
  }
  if (!is_agent_gone()) return std::nullopt;
  return Error{Errc::peer_lost, fmt::format("the node agent on host {} has ended, was it killed? "
                                            "No other process can reach the memory of {}",
                                            own.host.data(), ranks_of(own))};
}

// If this node cannot reach any other, that explains the loss.
void Streams::lose(std::uint32_t node, const std::string& why) {
  if (end_) return;
  if (const std::optional<Error> end = find_end()) return lose_all(*end);
  if (to(node).loss() != nullptr) return;
  losses_.push_back(
      {Errc::peer_lost, fmt::format("{} on host {} cannot be reached: {}", ranks_of(nodes_[node]),
                                    nodes_[node].host.data(), why)});
  abandon(to(node), losses_.back());
}

// Ranks may leave a job that may grow.
bool Streams::may_lack_ranks() const {
  const Roster& roster = memory_.roster();
  return memory_.header().goes_on.load(std::memory_order_relaxed) != 0 ||
         roster.capacity() > roster.first_size();
}

void Streams::suspect(Rank rank, const std::string& why) {
  if (!may_lack_ranks()) return lose(nodes_.node_of(rank), why);
  const bool is_known = std::ranges::find(suspects_, rank, &Suspect::rank) != suspects_.end();
  if (!is_dead(rank) && !is_known) suspects_.push_back({rank, why, monotonic_ns()});
}

void Streams::check_suspects(std::uint64_t now) {
  std::erase_if(suspects_, [this](const Suspect& each) { return is_dead(each.rank); });
  while (!suspects_.empty() && now - suspects_.front().since_ns > stretched(time_to_tell_ns)) {
    const Suspect first = std::move(suspects_.front());
    suspects_.erase(suspects_.begin());
    lose(nodes_.node_of(first.rank), first.why);
  }
}

// A node without living ranks has no agent, or will have none. Its host may be gone silently. A
// rank that is started again needs its agent.
void Streams::lose_dead_nodes() {
  if (deaths_.size() == std::exchange(seen_deaths_, deaths_.size())) return;
  for (auto& [node, stream] : streams_) {
    const NodeRanks ranks = nodes_[node].ranks;
    if (stream.loss() == nullptr && std::all_of(ranks.begin(), ranks.end(), [this](Rank rank) {
          return deaths_.has(rank) && !deaths_.awaits(rank);
        }))
      lose(node, "its ranks have died");
  }
}

Error Streams::fail(std::uint32_t node, const std::string& why) {
  lose(node, why);
  return *to(node).loss();
}

void Streams::lose_all(const Error& loss) {
  end_ = loss;
  losses_.push_back(loss);
  for (auto& [node, stream] : streams_) abandon(stream, loss);
}

// Fails operations that will never be answered.
void Streams::abandon(Stream& stream, const Error& loss) {
  shared_.route.abandon(stream.node(), stream.lose(loss));
  for (MessagesTo* messages : std::vector(shared_.gathering))
    if (messages->node() == stream.node()) messages->abandon();
}

const Error* Streams::lost(Rank peer) const {
  const auto found = streams_.find(nodes_.node_of(peer));
  if (found != streams_.end()) return found->second.loss();
  return end_ ? &*end_ : nullptr;
}

// Checks for losses that this node's agent has detected, for the loss of that agent, and for
// connections that this rank has closed.
void Streams::check_for_losses() {
  const std::uint64_t now = monotonic_ns();
  if (now < next_check_ns_) return;
  next_check_ns_ = now + check_interval_ns;
  if (end_) return;
  const NodeHeader& header = memory_.header();
  if (header.is_over.load(std::memory_order_acquire) == 1)  // pairs with the agent
    return lose_all({Errc::peer_lost, header.why.data()});
  if (purposeful_end(header)) return lose_all({Errc::peer_lost, "the job has ended"});
  if (shared_.route.was_closed() || is_agent_gone())
    if (const std::optional<Error> end = find_end()) return lose_all(*end);
  check_suspects(now);
  lose_dead_nodes();
  for (std::uint32_t node = 0; node < memory_.roster().nodes(); ++node) {
    const NodeState state = memory_.entry(node).state.load(std::memory_order_acquire);
    if (state != NodeState::silent && state != NodeState::cut_off) continue;
    lose(node, state == NodeState::silent
                   ? "its node agent has been silent for too long (GONDWANA_PEER_TIMEOUT)"
                   : "the connection to its node agent has ended");
  }
}

bool Streams::is_agent_gone() const {
  pollfd entry{agent_, 0, 0};
  return agent_ >= 0 && ::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

}  // namespace gondwana::remote
