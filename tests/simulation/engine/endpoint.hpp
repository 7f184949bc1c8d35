// An endpoint of the simulated network.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/unique_fd.hpp"
#include "simulation/engine/network.hpp"

namespace gondwana::simulation {

class SimulatedEndpoint final : public network::Endpoint {
 public:
  SimulatedEndpoint(Network& network, std::uint64_t number, const network::Receives& receives);
  ~SimulatedEndpoint() override;

  std::string describe() const override { return "simulated"; }
  std::string kind() const override { return "simulated"; }
  Bytes address() const override { return std::as_bytes(std::span(&number_, 1)); }
  std::size_t longest_transfer() const override { return network_.manner_.longest_transfer; }
  std::size_t max_injected() const override { return network_.manner_.max_injected; }

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

  // What happens when the owner polls. Returns whether the owner learns of it.
  using Item = std::function<bool(const Handlers&)>;

  // A message that has been posted and has not left.
  struct Outgoing {
    std::uint64_t to = 0;
    std::vector<std::byte> copy;  // of an injected one
    Bytes bytes{};                // of another one
    std::uint64_t number = 0;     // of its operation; 0: injected
  };
  struct InFlight {
    network::Operation* operation;
    std::uint64_t to;
  };

  std::string place() const override { return std::to_string(number_); }
  bool is_busy(std::size_t size);
  std::uint64_t begin(network::Operation& operation, std::uint64_t to);
  void post(Outgoing message);
  void may_leave();
  void leave();
  void add(Item item);
  void silence() const;
  void end(std::uint64_t operation);
  void fail(std::uint64_t operation);
  void fail_all_to(std::uint64_t peer);
  std::byte* address_in(const network::Region& region, std::uint64_t offset, std::size_t size);

  Network& network_;
  std::uint64_t number_;
  std::string owner_;
  std::size_t longest_message_;
  UniqueFd bell_;  // readable while there are items
  std::deque<Item> items_;
  std::deque<Outgoing> outgoing_;
  std::size_t posted_bytes_ = 0;  // of outgoing_
  Nanoseconds link_free_ = 0;     // when the link has carried all that has been posted
  std::map<std::uint64_t, InFlight> in_flight_;
  std::uint64_t operations_ = 0;  // begun
  bool is_polling_ = false;
};

}  // namespace gondwana::simulation
