#include "simulation/engine/network.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gondwana::simulation {
namespace {

Network* network_of_process = nullptr;

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

Network::Network(Machine& machine) : machine_(machine) {
  Random& random = machine.random();
  shortest_latency_ = random.pick<Nanoseconds>({200, 2'000, 20'000});
  longest_latency_ = shortest_latency_ + random.pick<Nanoseconds>({500, 50'000, 2'000'000});
  busy_one_in_ = random.pick<std::uint64_t>({2, 8, 64, 1U << 30});
  longest_transfer_ = random.pick<std::size_t>({4'096, 65'536, std::size_t{1} << 30});
  max_injected_ = random.pick<std::size_t>({64, 128, 4'096});
  small_message_ = random.pick<std::size_t>({1'024, 16'384});
  queue_limit_ = random.pick<std::size_t>({2, 8, 1'000});
  events_per_poll_ = random.pick<std::uint64_t>({1, 4, 16});
  needs_sender_ = random.one_in(2);
  needs_target_ = random.one_in(2);
  network_of_process = this;
}

Network::~Network() {
  network_of_process = nullptr;
}

Network& Network::present() {
  return *network_of_process;
}

std::unique_ptr<SimulatedEndpoint> Network::open(const network::Receives& receives) {
  return std::make_unique<SimulatedEndpoint>(*this, ++opened_, receives);
}

SimulatedEndpoint* Network::find(std::uint64_t number) const {
  const auto found = endpoints_.find(number);
  return found == endpoints_.end() ? nullptr : found->second;
}

Nanoseconds Network::latency() {
  const Nanoseconds usual = shortest_latency_ + machine_.random().below(shortest_latency_);
  return machine_.random().one_in(4) ? machine_.random().between(usual, longest_latency_ + usual)
                                     : usual;
}

// Its bytes are read now. Small messages between two endpoints arrive in order.
void Network::leave(std::uint64_t from, Outgoing message) {
  ++messages_;
  auto bytes = std::make_shared<std::vector<std::byte>>(std::move(message.copy));
  if (message.operation != nullptr) bytes->assign(message.bytes.begin(), message.bytes.end());
  Nanoseconds arrival = machine_.now() + latency();
  if (message.operation == nullptr || bytes->size() <= small_message_) {
    Nanoseconds& last = last_arrival_[{from, message.to}];
    last = arrival = std::max(arrival, last + 1);
  } else {
    arrival += latency();
  }
  machine_.at(arrival, [this, from, to = message.to, bytes] {
    SimulatedEndpoint* const target = find(to);
    if (target == nullptr) return;
    machine_.note(fmt::format("{} bytes from endpoint {} arrive at {}", bytes->size(), from, to));
    if (bytes->size() > target->longest_message_)
      machine_.fail(fmt::format("{} bytes are more than endpoint {} receives", bytes->size(), to));
    target->add([bytes](const network::Endpoint::Handlers& handlers) {
      handlers.on_message(*bytes);
      return true;
    });
  });
  if (message.operation == nullptr) return;
  machine_.at(machine_.now() + latency(), [this, from, operation = message.operation] {
    if (SimulatedEndpoint* const sender = find(from)) sender->end(*operation);
  });
}

// Copies [end_of_copy - size of a piece, ...) later; the operation ends after its last piece.
void Network::transfer(std::uint64_t from, std::uint64_t to, network::Operation& operation,
                       std::byte* target, Bytes source, std::size_t end_of_copy) {
  auto left = std::make_shared<std::size_t>(end_of_copy > 0 && end_of_copy < source.size() ? 2 : 1);
  const auto copy = [this, from, to, left, &operation](std::byte* target_part, Bytes part) {
    const auto run = [this, from, left, &operation, target_part, part] {
      SimulatedEndpoint* const owner = find(from);
      if (owner == nullptr) return;
      std::memcpy(target_part, part.data(), part.size());
      if (--*left > 0) return;
      machine_.at(machine_.now() + latency(), [this, from, &operation] {
        if (SimulatedEndpoint* const sender = find(from)) sender->end(operation);
      });
    };
    machine_.at(machine_.now() + latency(), [this, to, run] {
      SimulatedEndpoint* const peer = find(to);
      if (peer == nullptr) return;
      if (!needs_target_) return run();
      peer->add([run](const network::Endpoint::Handlers&) {
        run();
        return false;
      });
    });
  };
  if (*left == 1) return copy(target, source);
  copy(target, source.first(end_of_copy));
  copy(target + end_of_copy, source.subspan(end_of_copy));
}

SimulatedEndpoint::SimulatedEndpoint(Network& network, std::uint64_t number,
                                     const network::Receives& receives)
    : network_(network),
      number_(number),
      longest_message_(receives.longest),
      bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  network_.endpoints_.emplace(number, this);
}

// Injected messages still leave, unless they wait for another one. All else is lost.
SimulatedEndpoint::~SimulatedEndpoint() {
  network_.endpoints_.erase(number_);
  for (; !outgoing_.empty() && outgoing_.front().operation == nullptr; outgoing_.pop_front())
    network_.leave(number_, std::move(outgoing_.front()));
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

bool SimulatedEndpoint::is_busy() {
  network_.machine_.step();
  return inflight_ >= network_.queue_limit_ ||
         network_.machine_.random().one_in(network_.busy_one_in_);
}

void SimulatedEndpoint::add(Network::Item item) {
  items_.push_back(std::move(item));
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t rung = ::write(bell_.get(), &one, sizeof(one));
}

void SimulatedEndpoint::end(network::Operation& operation) {
  add([this, &operation](const Handlers& handlers) {
    --inflight_;
    handlers.on_done(operation);
    return true;
  });
}

// Messages leave in the order in which they were posted.
void SimulatedEndpoint::post(Network::Outgoing message) {
  if (message.operation != nullptr) ++inflight_;
  outgoing_.push_back(std::move(message));
  const auto leave = [&network = network_, number = number_] {
    SimulatedEndpoint* const self = network.find(number);
    if (self == nullptr) return;
    Network::Outgoing first = std::move(self->outgoing_.front());
    self->outgoing_.pop_front();
    network.leave(number, std::move(first));
  };
  Machine& machine = network_.machine_;
  machine.at(machine.now() + machine.random().skewed(network_.shortest_latency_),
             [&network = network_, number = number_, leave] {
               SimulatedEndpoint* const self = network.find(number);
               if (self == nullptr) return;
               if (!network.needs_sender_ || self->outgoing_.front().operation == nullptr)
                 return leave();
               self->add([leave](const Handlers&) {
                 leave();
                 return false;
               });
             });
}

Result<Posted> SimulatedEndpoint::inject(network::Peer to, Bytes message) {
  if (is_busy()) return Posted::busy;
  if (message.size() > max_injected())
    network_.machine_.fail(fmt::format("{} injected bytes are too many", message.size()));
  post({.to = number_of(to), .copy = {message.begin(), message.end()}});
  return Posted::accepted;
}

Result<Posted> SimulatedEndpoint::send(network::Peer to, Bytes message,
                                       network::Operation& operation) {
  if (is_busy()) return Posted::busy;
  post({.to = number_of(to), .copy = {}, .bytes = message, .operation = &operation});
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
  if (is_busy()) return Posted::busy;
  std::byte* const target = address_in(to, offset, source.size());
  ++inflight_;
  network_.transfer(number_, number_of(to.peer), operation, target, source,
                    network_.machine_.random().below(source.size()));
  return Posted::accepted;
}

Result<Posted> SimulatedEndpoint::read(const network::Region& from, std::uint64_t offset,
                                       MutableBytes target, network::Operation& operation) {
  if (is_busy()) return Posted::busy;
  const std::byte* const source = address_in(from, offset, target.size());
  ++inflight_;
  network_.transfer(number_, number_of(from.peer), operation, target.data(),
                    {source, target.size()}, network_.machine_.random().below(target.size()));
  return Posted::accepted;
}

std::size_t SimulatedEndpoint::poll(const Handlers& handlers) {
  Machine& machine = network_.machine_;
  if (machine.is_in_task()) machine.step();
  if (std::exchange(is_polling_, true)) machine.fail("a handler polls its endpoint");
  std::size_t events = 0;
  for (std::uint64_t i = 0; i < network_.events_per_poll_ && !items_.empty(); ++i) {
    const Network::Item item = std::move(items_.front());
    items_.pop_front();
    if (item(handlers)) ++events;
  }
  is_polling_ = false;
  std::uint64_t rings = 0;
  if (items_.empty()) [[maybe_unused]]
    const ssize_t read = ::read(bell_.get(), &rings, sizeof(rings));
  return events;
}

bool SimulatedEndpoint::may_sleep() {
  return items_.empty() && !network_.machine_.random().one_in(16);
}

// The linker puts it in place of network::open_endpoint: see CMakeLists.txt.
Result<std::unique_ptr<network::Endpoint>>
open_simulated(const network::Settings& settings, const network::Receives& receives) __asm__(
    "__wrap__ZN8gondwana7network13open_endpointERKNS0_8SettingsERKNS0_8ReceivesE");

Result<std::unique_ptr<network::Endpoint>> open_simulated(const network::Settings& /*settings*/,
                                                          const network::Receives& receives) {
  return std::unique_ptr<network::Endpoint>(Network::present().open(receives));
}

}  // namespace gondwana::simulation
