// A simulated network, which does all that network/endpoint.hpp allows and no more: messages are
// late, large ones are overtaken, writes and reads take effect in pieces and in any order, queues
// are full, and an endpoint needs its owner's polls if the seed says so.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/unique_fd.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"
#include "simulation/engine/machine.hpp"

namespace gondwana::simulation {

class SimulatedEndpoint;

class Network {
 public:
  explicit Network(Machine& machine);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  // The network of the job that runs now.
  static Network& present();

  std::unique_ptr<SimulatedEndpoint> open(const network::Receives& receives);
  std::uint64_t messages() const { return messages_; }

 private:
  friend class SimulatedEndpoint;

  // What happens at an endpoint when its owner polls. Returns whether the owner learns of it.
  using Item = std::function<bool(const network::Endpoint::Handlers&)>;

  // A message that has been posted.
  struct Outgoing {
    std::uint64_t to;
    std::vector<std::byte> copy;  // of an injected one
    Bytes bytes{};                // of another one, until it has left
    network::Operation* operation = nullptr;
  };

  SimulatedEndpoint* find(std::uint64_t number) const;
  void leave(std::uint64_t from, Outgoing message);
  void transfer(std::uint64_t from, std::uint64_t to, network::Operation& operation,
                std::byte* target, Bytes source, std::size_t end_of_copy);
  Nanoseconds latency();

  Machine& machine_;
  // The manner of this network.
  Nanoseconds shortest_latency_;
  Nanoseconds longest_latency_;
  std::uint64_t busy_one_in_;
  std::size_t longest_transfer_;
  std::size_t max_injected_;
  std::size_t small_message_;  // larger ones may be overtaken
  std::size_t queue_limit_;    // operations in flight of an endpoint
  std::uint64_t events_per_poll_;
  bool needs_sender_;  // messages leave only while their sender polls
  bool needs_target_;  // writes and reads happen only while their target polls
  std::uint64_t messages_ = 0;
  std::uint64_t opened_ = 0;  // the number of the last endpoint
  std::map<std::uint64_t, SimulatedEndpoint*> endpoints_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Nanoseconds> last_arrival_;  // from, to
};

class SimulatedEndpoint final : public network::Endpoint {
 public:
  SimulatedEndpoint(Network& network, std::uint64_t number, const network::Receives& receives);
  ~SimulatedEndpoint() override;

  std::string describe() const override { return "simulated"; }
  std::string kind() const override { return "simulated"; }
  Bytes address() const override { return std::as_bytes(std::span(&number_, 1)); }
  std::size_t longest_transfer() const override { return network_.longest_transfer_; }
  std::size_t max_injected() const override { return network_.max_injected_; }

  Result<network::Peer> add_peer(Bytes address) override;
  Result<std::unique_ptr<network::Registration>> register_memory(MutableBytes memory) override;
  Result<network::Region> import_region(network::Peer peer, Bytes key) override;

  Result<Posted> inject(network::Peer to, Bytes message) override;
  Result<Posted> send(network::Peer to, Bytes message, network::Operation& operation) override;
  Result<Posted> write(const network::Region& to, std::uint64_t offset, Bytes source,
                       network::Operation& operation) override;
  Result<Posted> read(const network::Region& from, std::uint64_t offset, MutableBytes target,
                      network::Operation& operation) override;

  std::size_t poll(const Handlers& handlers) override;
  int wait_descriptor() const override { return bell_.get(); }
  bool may_sleep() override;

 private:
  friend class Network;

  std::string place() const override { return std::to_string(number_); }
  bool is_busy();
  void post(Network::Outgoing message);
  void add(Network::Item item);
  void end(network::Operation& operation);
  std::byte* address_in(const network::Region& region, std::uint64_t offset, std::size_t size);

  Network& network_;
  std::uint64_t number_;
  std::size_t longest_message_;
  UniqueFd bell_;  // readable while there are items
  std::deque<Network::Item> items_;
  std::deque<Network::Outgoing> outgoing_;  // posted, and not left
  std::size_t inflight_ = 0;
  bool is_polling_ = false;
};

}  // namespace gondwana::simulation
