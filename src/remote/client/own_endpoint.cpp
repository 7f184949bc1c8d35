#include "remote/client/own_endpoint.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/machine.hpp"
#include "network/networks.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {
namespace {

// For replies with their results, and messages.
constexpr network::Receives receives{.buffers = 4,
                                     .longest = sizeof(MessageHeader) + longest_message};

// The most bytes of copies that wait for the network. They keep their memory, which may be
// registered. Messages beyond the limit wait with their sender. One message is always allowed.
constexpr std::size_t max_leaving = 4 * 1024 * 1024;

// The most messages in a row without a completion.
constexpr std::uint32_t max_injected_in_a_row = 16;

// The interval between two reads of an info that is not yet written.
constexpr std::uint64_t ask_again_ns = 1'000'000;

}  // namespace

Result<std::unique_ptr<OwnEndpoint>> OwnEndpoint::open(const network::Settings& settings,
                                                       const std::shared_ptr<NodeMemory>& memory,
                                                       Rank me, NodeInfos& nodes) {
  std::unique_ptr<OwnEndpoint> route(new OwnEndpoint(memory, me, nodes));
  Result<std::unique_ptr<network::Endpoint>> endpoint = network::open_endpoint(settings, receives);
  if (!endpoint) return endpoint.error();
  route->endpoint_ = *std::move(endpoint);
  route->endpoint_->keep({memory->window(me), memory->plan().stride});
  route->endpoint_->keep(std::as_writable_bytes(std::span(&memory->batches(me), 1)));
  route->injected_.resize(route->endpoint_->most_injected());
  route->write_info();
  return route;
}

void OwnEndpoint::write_info() const {
  EndpointInfo& info = memory_->endpoint_info(me_);
  GONDWANA_ASSERT(address().size() <= info.address.size(), address().size());
  info.size.store(0, std::memory_order_release);  // left by an earlier incarnation
  std::memcpy(info.address.data(), address().data(), address().size());
  info.size.store(address().size(), std::memory_order_release);  // learn() acquires it
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
  return line.may_inject && size <= endpoint_->most_injected() &&
         line.injected < max_injected_in_a_row;
}

Result<Posted> OwnEndpoint::send(Line& line, std::size_t size, Write write, Departure departure) {
  if (may_inject(line, size)) {
    write(injected_.data());
    Result<Posted> posted = endpoint_->inject(line.peer, Bytes(injected_).first(size));
    if (posted && *posted == Posted::accepted) ++line.injected;
    return posted;
  }
  if (leaving_ > 0 && leaving_ + size > max_leaving) return Posted::busy;
  Operation& operation = take_operation(line.leaving, line.node);
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
                              : post_send(line, message, take_operation(slot.leaving, line.node));
  if (!posted || *posted == Posted::busy) return posted;
  if (is_injected) ++line.injected;
  slot.state().clear();
  return posted;
}

// The bytes that the kernel accepts while the rank does not poll.
Route::Window OwnEndpoint::window() const {
  return {.bytes = std::size_t{128} * 1024, .results = most_unanswered * longest_results};
}

Result<Posted> OwnEndpoint::post_send(Line& line, Bytes message, Operation& operation) {
  Result<Posted> posted = endpoint_->send(line.peer, message, operation);
  if (!posted || *posted == Posted::busy) {
    give_back(operation);
    return posted;
  }
  operation.size = operation.is_optional ? 0 : message.size();
  operation.done->begin();
  line.injected = 0;
  leaving_ += operation.size;
  return posted;
}

OwnEndpoint::Pair& OwnEndpoint::pair_with(Rank rank) {
  const auto [pair, is_new] = pairs_.try_emplace(index(rank));
  if (is_new) pair->second.node = nodes_.node_of(rank);
  return pair->second;
}

// Accepted: the address of the rank is known. The first message makes the connection. Once it has
// left, no injected message stays in this process.
Result<Posted> OwnEndpoint::find(Rank rank, Pair& pair) {
  pair.may_inject = pair.may_inject || (pair.was_used && pair.leaving.done());
  switch (pair.state) {
    case Pair::State::unknown:
      return ask(rank, pair);
    case Pair::State::asked:
      return learn(rank, pair);
    case Pair::State::known:
      break;
  }
  return Posted::accepted;
}

Result<Posted> OwnEndpoint::ask(Rank rank, Pair& pair) {
  static_assert(sizeof(Pair::ProcessInfo) == sizeof(EndpointInfo));
  if (monotonic_ns() < pair.ask_ns) return Posted::busy;
  if (!pair.info) pair.info = std::make_unique<Pair::ProcessInfo>();
  if (memory_->roster().is_here(rank)) {
    const EndpointInfo& info = memory_->endpoint_info(rank);
    pair.info->size = info.size.load(std::memory_order_acquire);
    pair.info->address = info.address;
    pair.is_written = pair.info->size > 0;
    return learn(rank, pair);
  }
  const MutableBytes here = std::as_writable_bytes(std::span(pair.info.get(), 1));
  Result<Posted> posted = read(here, {rank, system_area::endpoint_info.offset}, pair.fetching);
  if (!posted) return posted;
  if (*posted == Posted::accepted) pair.state = Pair::State::asked;
  return Posted::busy;
}

Result<Posted> OwnEndpoint::learn(Rank rank, Pair& pair) {
  if (!pair.fetching.done()) return Posted::busy;
  pair.state = Pair::State::unknown;
  if (pair.info->size == 0) {
    pair.ask_ns = monotonic_ns() + ask_again_ns;
    return Posted::busy;
  }
  if (!pair.is_written) {
    pair.is_written = true;
    return ask(rank, pair);
  }
  if (pair.info->size > pair.info->address.size())
    return Error{Errc::refused, fmt::format("rank {} has no address", index(rank))};
  const Result<network::Peer> peer =
      endpoint_->add_peer(Bytes(pair.info->address).first(pair.info->size));
  if (!peer) return peer.error();
  pair.info.reset();
  pair.peer = *peer;
  pair.state = Pair::State::known;
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
  Operation& operation = take_operation(done, node);
  Result<Posted> posted = post((*agent)->arenas, offset, operation);
  if (!posted || *posted == Posted::busy) {
    give_back(operation);
    return posted;
  }
  done.begin();
  operation.is_transfer = true;
  operation.is_write = is_write;
  if (is_write) ++writes_;
  return posted;
}

bool OwnEndpoint::poll(const Handlers& handlers) {
  const auto on_done = [this](network::Operation& operation) {
    end(static_cast<Operation&>(operation));
  };
  const auto on_failed = [&](const network::Operation* operation, const std::string& why) {
    const auto failed = std::ranges::find_if(
        operations_, [operation](const Operation& each) { return &each == operation; });
    if (failed == operations_.end()) return;
    if (!failed->is_optional) handlers.on_lost(failed->node, why);
    end(*failed);
  };
  return endpoint_->poll({handlers.on_message, on_done, on_failed}) > 0;
}

void OwnEndpoint::sleep(std::chrono::microseconds limit) {
  pollfd entry{endpoint_->wait_descriptor(), POLLIN, 0};
  const timespec time{0, std::chrono::nanoseconds(limit).count()};
  ::ppoll(&entry, 1, &time, nullptr);
}

OwnEndpoint::Operation& OwnEndpoint::take_operation(Completion& done, std::uint32_t node) {
  if (free_.empty()) free_.push_back(&operations_.emplace_back());
  Operation& operation = *free_.back();
  free_.pop_back();
  operation.done = &done;
  operation.node = node;
  operation.is_transfer = false;
  operation.is_write = false;
  operation.is_optional = false;
  add(memory_->page(me_).traffic.under_way, 1);
  return operation;
}

void OwnEndpoint::give_back(Operation& operation) {
  operation.done = nullptr;
  operation.size = 0;
  free_.push_back(&operation);
  add(memory_->page(me_).traffic.under_way, ~std::uint64_t{0});
}

void OwnEndpoint::end(Operation& operation) {
  if (operation.is_write) --writes_;
  leaving_ -= operation.size;
  if (operation.done != nullptr) operation.done->finish();
  give_back(operation);
}

// Fetches the address again, even if a fetch is in flight.
void OwnEndpoint::renew(Rank rank) {
  const auto found = pairs_.find(index(rank));
  if (found == pairs_.end()) return;
  Pair& pair = found->second;
  if (pair.state == Pair::State::known) pair.state = Pair::State::unknown;
  pair.peer = network::no_peer;
  pair.may_inject = false;
  pair.was_used = false;
  pair.is_written = false;
  pair.injected = 0;
}

// The network keeps the operations until it gives up. Until then their messages, and the slots of
// these, stay in use.
void OwnEndpoint::abandon(std::uint32_t node, const Error& loss) {
  for (Operation& operation : operations_) {
    if (operation.done == nullptr || operation.node != node) continue;
    leaving_ -= std::exchange(operation.size, 0);
    if (!operation.is_transfer) continue;
    if (std::exchange(operation.is_write, false)) --writes_;
    std::exchange(operation.done, nullptr)->fail(loss);
  }
}

}  // namespace gondwana::remote
