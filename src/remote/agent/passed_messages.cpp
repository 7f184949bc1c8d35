// Passes batches of messages on to ranks of this node: those that the senders left open, and all if
// ranks have no endpoints of their own.
#include <fmt/format.h>

#include <algorithm>

#include "remote/agent/implementation.hpp"

namespace gondwana {

using network::Peer;

// All messages of a batch are for one rank, which drops others. It puts them in order.
void NodeAgent::Implementation::pass_messages(const ReceivedBatch& received, Bytes bytes) {
  const auto first = remote::read_request(received.requests, memory_->plan());
  if (!first) return endpoint_->refuse();
  const std::uint32_t to = first->request.to;
  if (!carried_.empty()) return deliver(Rank(to), bytes);
  std::list<std::vector<std::byte>>& passed = clients_[to].passed;
  if (passed.empty()) to_pass_.push_back(to);
  passed.emplace_back(bytes.begin(), bytes.end());
}

void NodeAgent::Implementation::send_passed() {
  std::erase_if(to_pass_, [this](std::uint32_t rank) { return send_passed_to(rank); });
}

// False: some messages wait.
bool NodeAgent::Implementation::send_passed_to(std::uint32_t rank) {
  std::list<std::vector<std::byte>>& passed = clients_[rank].passed;
  for (; !passed.empty(); passed.pop_front()) {
    const Result<Posted> sent = pass_to(rank, passed.front());
    if (!sent) tell_undelivered(rank, sent.error().text);
    if (sent && *sent == Posted::busy) return false;
  }
  return true;
}

// Messages to a process that ends are dropped. Any other would wait for them.
void NodeAgent::Implementation::tell_undelivered(std::uint32_t rank, const std::string& why) {
  if (memory_->page(Rank(rank)).state.load(std::memory_order_relaxed) != RankState::running) return;
  declare_over(fmt::format("host {}: a message cannot be passed on to rank {}: {}",
                           contact_.info().host.data(), rank, why));
}

Result<Posted> NodeAgent::Implementation::pass_to(std::uint32_t rank, Bytes batch) {
  if (Result<Posted> met = meet_rank(rank); !met || *met == Posted::busy) return met;
  const Client& client = clients_[rank];
  if (batch.size() <= endpoint_->most_injected()) return endpoint_->inject(client.peer, batch);
  if (!has_room(client, batch.size())) return Posted::busy;
  SendBuffer& buffer = take_buffer(rank, batch.size());
  std::ranges::copy(batch, buffer.bytes.begin());
  return send(client.peer, buffer);
}

// Busy: the rank has no endpoint yet.
Result<Posted> NodeAgent::Implementation::meet_rank(std::uint32_t rank) {
  Client& client = clients_[rank];
  if (client.peer != network::no_peer) return Posted::accepted;
  const EndpointInfo& info = memory_->endpoint_info(Rank(rank));
  const std::uint64_t size = info.size.load(std::memory_order_acquire);  // pairs with write_info()
  if (size == 0) return Posted::busy;
  if (size > info.address.size()) return Error{Errc::refused, "the rank has no address"};
  const Result<Peer> peer = endpoint_->add_peer(Bytes(info.address).first(size));
  if (!peer) return peer.error();
  client.peer = *peer;
  return Posted::accepted;
}

}  // namespace gondwana
