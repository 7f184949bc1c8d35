#include "simulation/engine/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "network/settings.hpp"
#include "simulation/engine/endpoint.hpp"

namespace gondwana::simulation {
namespace {

Network* network_of_process = nullptr;

}  // namespace

Network::Manner::Manner(Random& random)
    : shortest_latency(random.pick<Nanoseconds>({200, 2'000, 20'000})),
      longest_latency(shortest_latency + random.pick<Nanoseconds>({500, 50'000, 2'000'000})),
      busy_one_in(random.pick<std::uint64_t>({2, 8, 64, 1U << 30})),
      longest_transfer(random.pick<std::size_t>({4'096, 65'536, std::size_t{1} << 30})),
      max_injected(random.pick<std::size_t>({64, 128, 4'096})),
      small_message(random.pick<std::size_t>({256, 1'024, 16'384})),
      queue_limit(random.pick<std::size_t>({2, 8, 1'000})),
      events_per_poll(random.pick<std::uint64_t>({1, 4, 16})),
      pause_one_in(random.pick<std::uint64_t>({10, 100, 1U << 30})),
      longest_pause(random.pick<Nanoseconds>({50'000, 2'000'000, 30'000'000})),
      kilobyte(random.pick<Nanoseconds>({0, 100, 20'000})),
      link_buffer(random.pick<std::size_t>({4'096, 131'072, std::size_t{1} << 30})),
      needs_sender(random.one_in(2)),
      needs_target(random.one_in(2)) {}

Network::Network(Machine& machine, WireRules::Setup rules)
    : machine_(machine), rules_(machine, std::move(rules)), manner_(machine.random()) {
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

void Network::kill(const std::string& owner, bool is_reset) {
  std::vector<std::uint64_t> gone;
  for (const auto& [number, endpoint] : endpoints_)
    if (endpoint->owner_ == owner) gone.push_back(number);
  for (const std::uint64_t number : gone) {
    endpoints_.erase(number);
    if (!is_reset) continue;
    reset_.insert(number);
    for (const auto& [other, endpoint] : endpoints_) endpoint->fail_all_to(number);
  }
}

Nanoseconds Network::latency() {
  Random& random = machine_.random();
  const Nanoseconds usual = manner_.shortest_latency + random.below(manner_.shortest_latency);
  return random.one_in(4) ? random.between(usual, manner_.longest_latency + usual) : usual;
}

// Small messages between two endpoints arrive in order. A connection that pauses delays all.
Nanoseconds Network::arrival_of(const Message& message) {
  Connection& connection = connections_[{message.from, message.to}];
  if (machine_.random().one_in(manner_.pause_one_in))
    connection.paused_until = machine_.now() + machine_.random().skewed(manner_.longest_pause);
  const Nanoseconds arrival =
      std::max(machine_.now() + latency(), connection.paused_until + manner_.shortest_latency);
  if (!message.is_injected && message.bytes->size() > manner_.small_message)
    return arrival + machine_.random().below(4) * latency();
  return connection.last_arrival = std::max(arrival, connection.last_arrival + 1);
}

void Network::deliver(const Message& message) {
  ++messages_;
  machine_.at(arrival_of(message), [this, message] { arrive(message); });
}

void Network::arrive(const Message& message) {
  SimulatedEndpoint* const target = find(message.to);
  if (target == nullptr) return;
  const std::size_t size = message.bytes->size();
  machine_.note({"{} bytes from endpoint {} arrive at {}", size, message.from, message.to});
  if (size > target->longest_message_)
    machine_.fail(fmt::format("{} bytes are more than endpoint {} receives", size, message.to));
  target->add([this, bytes = message.bytes](const network::Endpoint::Handlers& handlers) {
    rules_.arrives(*bytes);
    handlers.on_message(*bytes);
    return true;
  });
}

// Copies the bytes in one or two pieces. The operation ends after the last one.
void Network::transfer(std::uint64_t to, Operation operation, std::byte* target, Bytes source) {
  const std::size_t cut = machine_.random().below(source.size());
  auto left = std::make_shared<std::size_t>(cut > 0 ? 2 : 1);
  const auto copy = [this, to, operation, left](std::byte* target_part, Bytes part) {
    const auto run = [this, operation, left, target_part, part] {
      if (find(operation.from) == nullptr) return;
      std::memcpy(target_part, part.data(), part.size());
      if (--*left == 0) end_later(operation);
    };
    machine_.at(machine_.now() + latency(), [this, to, run] {
      SimulatedEndpoint* const peer = find(to);
      if (peer == nullptr) return;
      if (!manner_.needs_target) return run();
      peer->add([run](const network::Endpoint::Handlers&) {
        run();
        return false;
      });
    });
  };
  if (cut > 0) copy(target, source.first(cut));
  copy(target + cut, source.subspan(cut));
}

void Network::end_later(Operation operation) {
  machine_.at(machine_.now() + latency(), [this, operation] {
    if (SimulatedEndpoint* const sender = find(operation.from)) sender->end(operation.number);
  });
}

void Network::fail_later(Operation operation) {
  machine_.at(machine_.now() + latency(), [this, operation] {
    if (SimulatedEndpoint* const sender = find(operation.from)) sender->fail(operation.number);
  });
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
