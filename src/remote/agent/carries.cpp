// How a node agent carries the messages of its ranks if they have no endpoints of their own. It
// forwards messages to the agents of other nodes, and delivers what comes for its ranks.
#include <sys/epoll.h>

#include <algorithm>
#include <cstring>

#include "remote/agent/implementation.hpp"

namespace gondwana {
namespace {

// Limit of messages of one rank before the next rank has its turn.
constexpr int most_at_once = 64;
// The retry interval while messages wait for a rank or the network: no event reports free room.
constexpr int look_again_ms = 1;
constexpr int any_length = 1'000'000;

}  // namespace

void NodeAgent::Implementation::carry_from_now() {
  carried_.reserve(memory_->roster().slots());
  for (const Rank rank : memory_->roster().here()) {
    RelayPlace& place = memory_->relay(rank);
    carried_.push_back({RecordReader(place.to_agent), RecordWriter(place.to_rank), place.bell});
  }
}

// Edge-triggered, so the bell's descriptor need not be read.
void NodeAgent::Implementation::listen_to_ranks() {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  ::epoll_ctl(sleeper_.get(), EPOLL_CTL_ADD, memory_->agent_bell(), &event);
}

bool NodeAgent::Implementation::carry() {
  bool found = false;
  is_blocked_ = false;
  for (std::uint32_t number = 0; number < carried_.size(); ++number) {
    Carried& rank = carried_[number];
    deliver_waiting(rank);
    for (int i = 0; i < most_at_once; ++i) {
      const auto message = rank.from_rank.front();
      if (!message) break;
      if (!pass_on(number, *message)) {
        is_blocked_ = true;
        break;
      }
      rank.from_rank.pop();
      found = true;
    }
  }
  return found;
}

// A message of a rank of this node, numbered within it. False: there is no room now. Messages to a
// node that is gone are dropped.
bool NodeAgent::Implementation::pass_on(std::uint32_t rank, const RecordReader::Record& message) {
  const NodePlan& plan = memory_->plan();
  const std::uint32_t slot = message.to ^ remote::slot_bit;
  if (slot < BatchPlace::count)
    return send_batch(memory_->batches(plan.node_ranks()[rank]).slots[slot]);
  if (message.to == plan.node) {
    on_message(message.bytes);
    return true;
  }
  if (message.to >= memory_->roster().nodes()) {
    ++dropped_.misdirected;
    return true;
  }
  const Result<Posted> sent = send_on(message.to, message.bytes);
  if (!sent) lose(message.to, NodeState::cut_off);
  return !sent || *sent == Posted::accepted;
}

// With a slot the message is in it. The slot is emptied when it has left.
Result<Posted> NodeAgent::Implementation::send_on(std::uint32_t node, Bytes message,
                                                  BatchSlot* slot) {
  const Result<Peer> peer = peer_of(node);
  if (!peer) return peer.error();
  if (message.size() <= endpoint_->most_injected()) {
    Result<Posted> sent = endpoint_->inject(*peer, message);
    if (slot != nullptr && sent && *sent == Posted::accepted) slot->state.clear();
    return sent;
  }
  const std::uint32_t there = remote::agent_number(node);
  if (!has_room(clients_[there], message.size())) return Posted::busy;
  SendBuffer& buffer = take_buffer(there, message.size(), slot);
  buffer.is_carried = true;
  if (slot == nullptr) std::memcpy(buffer.bytes.data(), message.data(), message.size());
  return send(*peer, buffer);
}

// Adds the agent of another node on first use.
Result<network::Peer> NodeAgent::Implementation::peer_of(std::uint32_t node) {
  const auto [other, is_new] = others_.try_emplace(node, network::no_peer);
  if (is_new) {
    const Result<Peer> peer = endpoint_->add_peer(memory_->nodes().address(node));
    if (!peer) {
      others_.erase(other);
      return peer.error();
    }
    other->second = *peer;
  }
  return other->second;
}

void NodeAgent::Implementation::deliver(Rank to, Bytes packet) {
  Carried& rank = carried_[memory_->roster().slot_of(to)];
  if (!rank.waiting.empty() || !hand_over(rank, packet))
    rank.waiting.emplace_back(packet.begin(), packet.end());
}

bool NodeAgent::Implementation::hand_over(Carried& rank, Bytes packet) {
  std::byte* place = rank.to_rank.open(packet.size());
  if (place == nullptr) return false;
  std::memcpy(place, packet.data(), packet.size());
  rank.to_rank.publish();
  rank.has_news = true;
  return true;
}

void NodeAgent::Implementation::deliver_waiting(Carried& rank) {
  while (!rank.waiting.empty() && hand_over(rank, rank.waiting.front())) rank.waiting.pop_front();
}

// Whether messages would be lost if the agent ended now.
bool NodeAgent::Implementation::has_to_carry() const {
  return carrying_ > 0 || std::ranges::any_of(carried_, [](const Carried& rank) {
           return rank.from_rank.has_record() || !rank.waiting.empty();
         });
}

// In milliseconds. From here on ranks ring the bell; messages written before are found here.
int NodeAgent::Implementation::longest_sleep_beside_ranks() {
  if (carried_.empty()) return any_length;
  const bool are_heard = memory_->header().agent_bell.raise();
  if (!has_to_carry()) return are_heard ? any_length : look_again_ms;
  const bool is_new = !is_blocked_ && std::ranges::any_of(carried_, [](const Carried& rank) {
    return rank.from_rank.has_record();
  });
  return is_new ? 0 : look_again_ms;
}

}  // namespace gondwana
