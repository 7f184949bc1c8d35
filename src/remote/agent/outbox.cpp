#include "remote/agent/outbox.hpp"

#include <algorithm>
#include <cstring>

namespace gondwana::remote {
namespace {

using network::Peer;

// Limits of the bytes that wait for the network: to one process, and in total. One message is
// always allowed.
constexpr std::size_t max_leaving_to_one = 256 * 1024;
constexpr std::size_t max_leaving = 64 * 1024 * 1024;

}  // namespace

Result<void> Outbox::meet(std::uint32_t process, Bytes address) {
  const Result<Peer> peer = endpoint_->add_peer(address);
  if (!peer) return peer.error();
  processes_[process].peer = *peer;
  return {};
}

bool Outbox::has_met(std::uint32_t process) const {
  const auto found = processes_.find(process);
  return found != processes_.end() && found->second.peer != network::no_peer;
}

bool Outbox::has_met_agent(std::uint32_t node) const {
  return agents_.contains(node) || processes_.contains(agent_number(node));
}

bool Outbox::is_leaving(std::uint32_t process) const {
  const auto found = processes_.find(process);
  return found != processes_.end() && found->second.leaving > 0;
}

bool Outbox::is_leaving_to_ranks() const {
  return std::ranges::any_of(processes_, [](const auto& each) {
    return !is_agent(each.first) && each.second.leaving > 0;
  });
}

Result<Posted> Outbox::inject(std::uint32_t process, Bytes message) {
  return endpoint_->inject(processes_[process].peer, message);
}

Result<Posted> Outbox::send(std::uint32_t process, Bytes message) {
  if (message.size() <= endpoint_->max_injected()) return inject(process, message);
  return send(process, message.size(),
              [message](std::byte* room) { std::ranges::copy(message, room); });
}

Result<Posted> Outbox::send(std::uint32_t process, std::size_t size,
                            FunctionRef<void(std::byte*)> write) {
  const Process& to = processes_[process];
  if (size <= endpoint_->max_injected()) {
    injected_.resize(std::max(injected_.size(), size));
    write(injected_.data());
    return endpoint_->inject(to.peer, Bytes(injected_).first(size));
  }
  if (!has_room(to, size)) return Posted::busy;
  SendBuffer& buffer = take(process, size);
  write(buffer.bytes.data());
  return post(to.peer, buffer);
}

// The network may try to connect to a lost node for ever, and other messages of the rank wait.
Result<Posted> Outbox::send_on(std::uint32_t node, Bytes message, BatchSlot* slot) {
  const NodeState state = memory_->entry(node).state.load(std::memory_order_relaxed);
  if (state == NodeState::silent || state == NodeState::cut_off)
    return Error{Errc::peer_lost, "the node is lost"};
  const Result<Peer> peer = agent_of(node);
  if (!peer) return peer.error();
  if (message.size() <= endpoint_->max_injected()) {
    Result<Posted> sent = endpoint_->inject(*peer, message);
    if (slot != nullptr && sent && *sent == Posted::accepted) slot->state.clear();
    return sent;
  }
  const std::uint32_t there = agent_number(node);
  if (!has_room(processes_[there], message.size())) return Posted::busy;
  SendBuffer& buffer = take(there, message.size(), slot);
  buffer.is_carried = true;
  if (slot == nullptr) std::memcpy(buffer.bytes.data(), message.data(), message.size());
  return post(*peer, buffer);
}

// The limits do not apply to these messages, which are few and short.
bool Outbox::tell(std::uint32_t node, Control control, Bytes payload) {
  const NodePlan& plan = memory_->plan();
  if (node == plan.node || node >= memory_->roster().nodes()) return true;
  const Result<Peer> peer = agent_of(node);
  if (!peer) return true;
  control.tag = tag_;
  control.from = agent_number(plan.node);
  control.size = payload.size();
  if (payload.empty()) {
    const Result<Posted> sent = endpoint_->inject(*peer, bytes_of(control));
    return !sent || *sent == Posted::accepted;
  }
  SendBuffer& buffer = take(agent_number(node), sizeof(control) + payload.size());
  std::ranges::copy(payload, remote::write(buffer.bytes.data(), control));
  const Result<Posted> sent = post(*peer, buffer);
  return !sent || *sent == Posted::accepted;
}

void Outbox::on_sent(SendBuffer& buffer) {
  leaving_ -= buffer.size;
  processes_[buffer.to].leaving -= buffer.size;
  if (buffer.is_carried) --carrying_;
  if (buffer.slot != nullptr) buffer.slot->state.clear();
  buffers_.give_back(buffer);
}

// Adds the peer on first use.
Result<Peer> Outbox::agent_of(std::uint32_t node) {
  if (const auto known = agents_.find(node); known != agents_.end()) return known->second;
  const Result<Peer> peer = endpoint_->add_peer(memory_->nodes().address(node));
  if (peer) agents_.emplace(node, *peer);
  return peer;
}

bool Outbox::has_room(const Process& process, std::size_t size) const {
  return process.leaving == 0 ||
         (process.leaving + size <= max_leaving_to_one && leaving_ + size <= max_leaving);
}

SendBuffer& Outbox::take(std::uint32_t to, std::size_t size, BatchSlot* slot) {
  SendBuffer& buffer = buffers_.take();
  buffer.to = to;
  buffer.size = size;
  buffer.is_carried = false;
  buffer.slot = slot;
  if (slot == nullptr) endpoint_->make_room(buffer.bytes, size);
  return buffer;
}

Result<Posted> Outbox::post(Peer peer, SendBuffer& buffer) {
  Result<Posted> sent = endpoint_->send(peer, buffer.message(), buffer);
  if (sent && *sent == Posted::accepted) {
    leaving_ += buffer.size;
    processes_[buffer.to].leaving += buffer.size;
    if (buffer.is_carried) ++carrying_;
  } else {
    buffers_.give_back(buffer);
  }
  return sent;
}

}  // namespace gondwana::remote
