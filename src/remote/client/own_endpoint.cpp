#include "remote/client/own_endpoint.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <cstring>
#include <utility>

#include "core/machine.hpp"
#include "network/networks.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {
namespace {

// The buffers receive replies with their results, and messages.
constexpr network::Receives receives{.buffers = 4,
                                     .longest = sizeof(MessageHeader) + longest_message};

// The most messages in a row without a completion.
constexpr std::uint32_t max_injected_in_a_row = 16;

}  // namespace

Result<std::unique_ptr<OwnEndpoint>> OwnEndpoint::open(const network::Settings& settings,
                                                       const std::shared_ptr<NodeMemory>& memory,
                                                       Rank me) {
  std::unique_ptr<OwnEndpoint> route(new OwnEndpoint(memory, me));
  Result<std::unique_ptr<network::Endpoint>> endpoint = network::open_endpoint(settings, receives);
  if (!endpoint) return endpoint.error();
  route->endpoint_ = *std::move(endpoint);
  route->endpoint_->keep({memory->window(me), memory->plan().stride});
  route->endpoint_->keep(std::as_writable_bytes(std::span(&memory->batches(me), 1)));
  route->injected_.resize(route->endpoint_->max_injected());
  route->write_info();
  return route;
}

void OwnEndpoint::write_info() const {
  EndpointInfo& info = memory_->endpoint_info(me_);
  GONDWANA_ASSERT(address().size() <= info.address.size(), address().size());
  info.size.store(0, std::memory_order_release);  // left by an earlier incarnation
  std::memcpy(info.address.data(), address().data(), address().size());
  info.size.store(address().size(), std::memory_order_release);  // FetchedAddress acquires it
}

Result<OwnEndpoint::Agent*> OwnEndpoint::agent_of(std::uint32_t node) {
  Agent& agent = agents_[node];
  if (agent.peer != network::no_peer) return &agent;
  const Result<network::Peer> peer = endpoint_->add_peer(nodes_.address(node));
  if (!peer) return peer.error();
  const Result<network::Region> arenas = endpoint_->import_region(*peer, nodes_.key(node));
  if (!arenas) return arenas.error();
  agent.node = node;
  agent.peer = *peer;
  agent.arenas = *arenas;
  agent.may_inject = true;
  return &agent;
}

Result<Posted> OwnEndpoint::send_to_agent(std::uint32_t node, std::size_t size, Write write) {
  const Result<Agent*> agent = agent_of(node);
  return agent ? send(**agent, size, write, Departure::at_once) : agent.error();
}

Result<Posted> OwnEndpoint::send_to_rank(Rank to, std::size_t size, Write write,
                                         Departure departure) {
  Pair& pair = pair_with(to);
  if (Result<Posted> found = find(to, pair); !found || *found == Posted::busy) return found;
  Result<Posted> posted = send(pair, size, write, departure);
  if (posted && *posted == Posted::accepted) pair.was_used = true;
  return posted;
}

Result<Posted> OwnEndpoint::send_batch_to_rank(Rank to, BatchSlots::Slot& slot, std::size_t size) {
  Pair& pair = pair_with(to);
  if (Result<Posted> found = find(to, pair); !found || *found == Posted::busy) return found;
  return send_slot(pair, slot, size);  // its completion does not count for may_inject
}

// Small messages are injected. An injected message has no completion. While the receiver does not
// read, it waits in the provider, which moves it only when this rank polls. After some injected
// messages, one is sent with a completion, which also shows that the earlier ones have left.
bool OwnEndpoint::may_inject(const Line& line, std::size_t size) const {
  return line.may_inject && size <= endpoint_->max_injected() &&
         line.injected < max_injected_in_a_row;
}

Result<Posted> OwnEndpoint::send(Line& line, std::size_t size, Write write, Departure departure) {
  if (may_inject(line, size)) {
    write(injected_.data());
    Result<Posted> posted = endpoint_->inject(line.peer, Bytes(injected_).first(size));
    if (posted && *posted == Posted::accepted) ++line.injected;
    return posted;
  }
  if (!in_flight_.has_room(size)) return Posted::busy;
  Operation& operation = in_flight_.take(line.leaving, line.node);
  endpoint_->make_room(operation.message, size);
  write(operation.message.data());
  operation.is_optional = departure == Departure::optional;
  return post_send(line, Bytes(operation.message).first(size), operation);
}

Result<Posted> OwnEndpoint::send_batch(std::uint32_t node, BatchSlots::Slot& slot,
                                       std::size_t size) {
  const Result<Agent*> agent = agent_of(node);
  return agent ? send_slot(**agent, slot, size) : agent.error();
}

Result<Posted> OwnEndpoint::send_slot(Line& line, BatchSlots::Slot& slot, std::size_t size) {
  const Bytes message(slot.bytes(), size);
  const bool is_injected = may_inject(line, size);
  Result<Posted> posted = is_injected
                              ? endpoint_->inject(line.peer, message)
                              : post_send(line, message, in_flight_.take(slot.leaving, line.node));
  if (!posted || *posted == Posted::busy) return posted;
  if (is_injected) ++line.injected;
  slot.state().clear();
  return posted;
}

// The bytes that the kernel accepts while the rank does not poll.
Route::Window OwnEndpoint::window() const {
  return {.bytes = std::size_t{128} * 1024, .results = max_unanswered * longest_results};
}

Result<Posted> OwnEndpoint::post_send(Line& line, Bytes message, Operation& operation) {
  operation.rank = line.rank;
  operation.peer = line.peer;
  Result<Posted> posted = endpoint_->send(line.peer, message, operation);
  if (!posted || *posted == Posted::busy) {
    in_flight_.give_back(operation);
    return posted;
  }
  in_flight_.begin_message(operation, message.size());
  line.injected = 0;
  return posted;
}

OwnEndpoint::Pair& OwnEndpoint::pair_with(Rank rank) {
  const auto [pair, is_new] = pairs_.try_emplace(index(rank));
  if (is_new) pair->second.node = nodes_.node_of(rank);
  pair->second.rank = rank;
  return pair->second;
}

// Accepted: the rank is a peer. The first message makes the connection. Once it has left, no
// injected message stays in this process.
Result<Posted> OwnEndpoint::find(Rank rank, Pair& pair) {
  pair.may_inject = pair.may_inject || (pair.was_used && pair.leaving.done());
  if (pair.peer != network::no_peer) return Posted::accepted;
  const auto read_info = [&](MutableBytes here, Completion& fetching) {
    return read(here, {rank, system_area::endpoint_info.offset}, fetching);
  };
  Result<Posted> fetched = memory_->roster().is_here(rank)
                               ? pair.address.copy(memory_->endpoint_info(rank))
                               : pair.address.fetch(monotonic_ns(), read_info);
  if (!fetched || *fetched == Posted::busy) return fetched;
  const Bytes address = pair.address.address();
  if (address.empty())
    return Error{Errc::refused, fmt::format("rank {} has no address", index(rank))};
  const Result<network::Peer> peer = endpoint_->add_peer(address);
  if (!peer) return peer.error();
  pair.address.forget();
  pair.peer = *peer;
  return Posted::accepted;
}

Result<Posted> OwnEndpoint::write(Remote to, Bytes source, Completion& done) {
  return transfer(to, done, true, [&](const auto& arenas, std::uint64_t offset, auto& operation) {
    return endpoint_->write(arenas, offset, source, operation);
  });
}

Result<Posted> OwnEndpoint::read(MutableBytes target, Remote from, Completion& done) {
  return transfer(from, done, false,
                  [&](const auto& arenas, std::uint64_t offset, auto& operation) {
                    return endpoint_->read(arenas, offset, target, operation);
                  });
}

// Posts a write or a read. `post` gets the region of the node, the offset in it and the operation.
template <typename Post>
Result<Posted> OwnEndpoint::transfer(Remote place, Completion& done, bool is_write,
                                     const Post& post) {
  const auto [node, slot, incarnation] = memory_->roster().where(place.rank);
  const Result<Agent*> agent = agent_of(node);
  if (!agent) return agent.error();
  const std::uint64_t offset = slot * nodes_[node].stride + place.offset;
  Operation& operation = in_flight_.take(done, node);
  Result<Posted> posted = post((*agent)->arenas, offset, operation);
  if (posted && *posted == Posted::accepted)
    in_flight_.begin_transfer(operation, is_write);
  else
    in_flight_.give_back(operation);
  return posted;
}

bool OwnEndpoint::poll(const Handlers& handlers) {
  const auto on_done = [this](network::Operation& operation) {
    in_flight_.end(static_cast<Operation&>(operation));
  };
  const auto on_failed = [&](const network::Operation* operation, const std::string& why) {
    Operation* const failed = in_flight_.find(operation);
    if (failed == nullptr) return;
    if (failed->rank && !failed->is_optional && is_current(*failed))
      handlers.on_unreachable(*failed->rank, why);
    else if (!failed->rank && !failed->is_optional)
      handlers.on_lost(failed->node, why);
    in_flight_.end(*failed);
  };
  return endpoint_->poll({handlers.on_message, on_done, on_failed}) > 0;
}

// Whether the receiver was not replaced since the message was sent.
bool OwnEndpoint::is_current(const Operation& message) const {
  const auto found = pairs_.find(index(*message.rank));
  return found != pairs_.end() && found->second.peer == message.peer;
}

void OwnEndpoint::sleep(std::chrono::microseconds limit) {
  pollfd entry{endpoint_->wait_descriptor(), POLLIN, 0};
  const timespec time{0, std::chrono::nanoseconds(limit).count()};
  ::ppoll(&entry, 1, &time, nullptr);
}

void OwnEndpoint::renew(Rank rank) {
  const auto found = pairs_.find(index(rank));
  if (found == pairs_.end()) return;
  Pair& pair = found->second;
  pair.node = nodes_.node_of(rank);
  pair.address.renew();
  pair.peer = network::no_peer;
  pair.may_inject = false;
  pair.was_used = false;
  pair.injected = 0;
}

}  // namespace gondwana::remote
