#include "simulation/engine/endpoint.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace gondwana::simulation {
namespace {

class SimulatedRegistration final : public network::Registration {
 public:
  explicit SimulatedRegistration(MutableBytes memory)
      : words_{reinterpret_cast<std::uintptr_t>(memory.data()), memory.size()} {}
  Bytes key() const override { return std::as_bytes(std::span(words_)); }

 private:
  std::array<std::uint64_t, 2> words_;
};

std::uint64_t number_of(network::Peer peer) {
  return static_cast<std::uint64_t>(peer);
}

}  // namespace

SimulatedEndpoint::SimulatedEndpoint(Network& network, std::uint64_t number,
                                     const network::Receives& receives)
    : network_(network),
      number_(number),
      owner_(network.machine_.actor()),
      longest_message_(receives.longest),
      bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  network_.endpoints_.emplace(number, this);
}

// Injected messages still leave, unless they wait for another one. All else is lost.
SimulatedEndpoint::~SimulatedEndpoint() {
  network_.endpoints_.erase(number_);
  while (!outgoing_.empty() && outgoing_.front().number == 0) leave();
}

Result<network::Peer> SimulatedEndpoint::add_peer(Bytes address) {
  std::uint64_t number = 0;
  if (address.size() != sizeof(number)) return Error{Errc::refused, "not a simulated address"};
  std::memcpy(&number, address.data(), sizeof(number));
  return network::Peer{number};
}

Result<std::unique_ptr<network::Registration>> SimulatedEndpoint::register_memory(
    MutableBytes memory) {
  return std::unique_ptr<network::Registration>(std::make_unique<SimulatedRegistration>(memory));
}

Result<network::Region> SimulatedEndpoint::import_region(network::Peer peer, Bytes key) {
  network::Region region{.peer = peer};
  if (key.size() != sizeof(region.words)) return Error{Errc::refused, "not a simulated key"};
  std::memcpy(region.words.data(), key.data(), key.size());
  return region;
}

// Operations to a peer that is gone do not keep others from the queue, which is longer elsewhere.
bool SimulatedEndpoint::is_busy(std::size_t size) {
  network_.machine_.step();
  const auto queued = std::ranges::count_if(
      in_flight_, [this](const auto& each) { return network_.find(each.second.to) != nullptr; });
  return static_cast<std::size_t>(queued) >= network_.manner_.queue_limit ||
         (posted_bytes_ > 0 && posted_bytes_ + size > network_.manner_.link_buffer) ||
         network_.machine_.random().one_in(network_.manner_.busy_one_in);
}

void SimulatedEndpoint::add(Item item) {
  items_.push_back(std::move(item));
  if (items_.size() > 1) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t rung = ::write(bell_.get(), &one, sizeof(one));
  network_.machine_.descriptors_changed();
}

void SimulatedEndpoint::silence() const {
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t read = ::read(bell_.get(), &rings, sizeof(rings));
}

std::uint64_t SimulatedEndpoint::begin(network::Operation& operation, std::uint64_t to) {
  in_flight_.emplace(++operations_, InFlight{&operation, to});
  if (network_.reset_.contains(to)) network_.fail_later({number_, operations_});
  return operations_;
}

// Of operations that have failed, nothing more is told.
void SimulatedEndpoint::end(std::uint64_t operation) {
  add([this, operation](const Handlers& handlers) {
    const auto found = in_flight_.extract(operation);
    if (found) handlers.on_done(*found.mapped().operation);
    return true;
  });
}

void SimulatedEndpoint::fail(std::uint64_t operation) {
  add([this, operation](const Handlers& handlers) {
    const auto found = in_flight_.extract(operation);
    if (found) handlers.on_failed(found.mapped().operation, "connection reset by peer");
    return true;
  });
}

void SimulatedEndpoint::fail_all_to(std::uint64_t peer) {
  for (const auto& [number, operation] : in_flight_)
    if (operation.to == peer) network_.fail_later({number_, number});
}

// Messages leave in the order in which they were posted, when the link is free.
void SimulatedEndpoint::post(Outgoing message) {
  Machine& machine = network_.machine_;
  const std::size_t size = message.number == 0 ? message.copy.size() : message.bytes.size();
  posted_bytes_ += size;
  const Nanoseconds delay = machine.random().skewed(network_.manner_.shortest_latency);
  link_free_ =
      std::max(link_free_, machine.now() + delay) + network_.manner_.kilobyte * size / 1024;
  outgoing_.push_back(std::move(message));
  machine.at(link_free_, [&network = network_, number = number_] {
    if (SimulatedEndpoint* const self = network.find(number)) self->may_leave();
  });
}

void SimulatedEndpoint::may_leave() {
  if (!network_.manner_.needs_sender || outgoing_.front().number == 0) return leave();
  add([this](const Handlers&) {
    leave();
    return false;
  });
}

// The bytes of the first message are read now.
void SimulatedEndpoint::leave() {
  Outgoing message = std::move(outgoing_.front());
  outgoing_.pop_front();
  const bool is_injected = message.number == 0;
  auto bytes = is_injected ? std::move(message.copy)
                           : std::vector<std::byte>(message.bytes.begin(), message.bytes.end());
  posted_bytes_ -= bytes.size();
  network_.rules_.leaves(bytes, owner_.starts_with("rank"));
  network_.deliver({.from = number_,
                    .to = message.to,
                    .bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes)),
                    .is_injected = is_injected});
  const bool is_lost = network_.find(message.to) == nullptr;
  if (!is_injected && !is_lost) network_.end_later({number_, message.number});
}

Result<Posted> SimulatedEndpoint::inject(network::Peer to, Bytes message) {
  if (is_busy(message.size())) return Posted::busy;
  const Machine::Unpreempted now(network_.machine_);
  if (message.size() > max_injected())
    network_.machine_.fail(fmt::format("{} injected bytes are too many", message.size()));
  post({.to = number_of(to), .copy = {message.begin(), message.end()}});
  return Posted::accepted;
}

Result<Posted> SimulatedEndpoint::send(network::Peer to, Bytes message,
                                       network::Operation& operation) {
  if (is_busy(message.size())) return Posted::busy;
  const Machine::Unpreempted now(network_.machine_);
  post({.to = number_of(to),
        .copy = {},
        .bytes = message,
        .number = begin(operation, number_of(to))});
  return Posted::accepted;
}

std::byte* SimulatedEndpoint::address_in(const network::Region& region, std::uint64_t offset,
                                         std::size_t size) {
  const auto [begin, length] = region.words;
  if (size > length || offset > length - size || size > longest_transfer())
    network_.machine_.fail(fmt::format(
        "a transfer of {} bytes at offset {} of a region of {} bytes", size, offset, length));
  return reinterpret_cast<std::byte*>(begin) + offset;
}

Result<Posted> SimulatedEndpoint::write(const network::Region& to, std::uint64_t offset,
                                        Bytes source, network::Operation& operation) {
  if (is_busy(0)) return Posted::busy;
  const Machine::Unpreempted now(network_.machine_);
  const std::uint64_t peer = number_of(to.peer);
  std::byte* const target = address_in(to, offset, source.size());
  network_.transfer(peer, {number_, begin(operation, peer)}, target, source);
  return Posted::accepted;
}

Result<Posted> SimulatedEndpoint::read(const network::Region& from, std::uint64_t offset,
                                       MutableBytes target, network::Operation& operation) {
  if (is_busy(0)) return Posted::busy;
  const Machine::Unpreempted now(network_.machine_);
  const std::uint64_t peer = number_of(from.peer);
  const std::byte* const source = address_in(from, offset, target.size());
  network_.transfer(peer, {number_, begin(operation, peer)}, target.data(),
                    {source, target.size()});
  return Posted::accepted;
}

std::size_t SimulatedEndpoint::poll(const Handlers& handlers) {
  Machine& machine = network_.machine_;
  if (machine.is_in_task()) machine.step();
  if (std::exchange(is_polling_, true)) machine.fail("a handler polls its endpoint");
  const bool had_items = !items_.empty();
  std::size_t events = 0;
  for (std::uint64_t i = 0; i < network_.manner_.events_per_poll && !items_.empty(); ++i) {
    const Item item = std::move(items_.front());
    items_.pop_front();
    if (item(handlers)) ++events;
  }
  is_polling_ = false;
  if (had_items && items_.empty()) silence();
  return events;
}

bool SimulatedEndpoint::may_sleep() {
  return items_.empty() && !network_.machine_.random().one_in(16);
}

}  // namespace gondwana::simulation
