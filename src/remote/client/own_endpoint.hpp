// The route through the rank's own endpoint: to the agents of other nodes, to the memory that they
// have registered, and to the ranks there. The first message makes the connection. The class
// mirrors Route.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/descriptor_witness.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"
#include "remote/client/fetched_address.hpp"
#include "remote/client/in_flight.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/route.hpp"

namespace gondwana::remote {

class OwnEndpoint final : public Route {
 public:
  static Result<std::unique_ptr<OwnEndpoint>> open(const network::Settings& settings,
                                                   const std::shared_ptr<NodeMemory>& memory,
                                                   Rank me);

  Bytes address() const override { return endpoint_->address(); }
  Result<Posted> send_to_agent(std::uint32_t node, std::size_t size, Write write) override;
  Result<Posted> send_batch(std::uint32_t node, BatchSlots::Slot& slot, std::size_t size) override;
  Window window() const override;
  Result<Posted> send_to_rank(Rank to, std::size_t size, Write write, Departure departure) override;
  Result<Posted> send_batch_to_rank(Rank to, BatchSlots::Slot& slot, std::size_t size) override;
  std::size_t longest_transfer() const override { return endpoint_->longest_transfer(); }
  Result<Posted> write(Remote to, Bytes source, Completion& done) override;
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override;
  bool has_writes() const override { return in_flight_.has_writes(); }
  void renew(Rank rank) override;
  void abandon(std::uint32_t node, const Error& loss) override { in_flight_.abandon(node, loss); }
  bool has_departed() const override { return !in_flight_.has_messages(); }
  bool poll(const Handlers& handlers) override;
  bool may_sleep() override { return endpoint_->may_sleep(); }
  void sleep(std::chrono::microseconds limit) override;
  bool was_closed() const override { return witness_.was_closed(); }

 private:
  // A destination of messages.
  struct Line {
    std::uint32_t node = 0;
    std::optional<Rank> rank;  // nothing: the agent
    network::Peer peer = network::no_peer;
    bool may_inject = false;
    std::uint32_t injected = 0;  // since the last message with a completion
    Completion leaving;          // messages with a completion, in flight
  };
  struct Agent : Line {
    network::Region arenas;  // arenas of the agent's node
  };
  // Another rank.
  struct Pair : Line {
    FetchedAddress address;  // forgotten once the rank is a peer
    bool was_used = false;
  };
  using Operation = InFlight::Operation;

  OwnEndpoint(const std::shared_ptr<NodeMemory>& memory, Rank me)
      : memory_(memory), me_(me), nodes_(memory), in_flight_(memory->page(me).traffic) {}

  void write_info() const;
  Result<Agent*> agent_of(std::uint32_t node);
  Pair& pair_with(Rank rank);
  Result<Posted> find(Rank rank, Pair& pair);
  Result<Posted> send(Line& line, std::size_t size, Write write, Departure departure);
  bool may_inject(const Line& line, std::size_t size) const;
  Result<Posted> send_slot(Line& line, BatchSlots::Slot& slot, std::size_t size);
  Result<Posted> post_send(Line& line, Bytes message, Operation& operation);
  bool is_current(const Operation& message) const;
  template <typename Post>
  Result<Posted> transfer(Remote place, Completion& done, bool is_write, const Post& post);

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  NodeInfos nodes_;
  std::map<std::uint32_t, Agent> agents_;  // by node, once used
  std::map<std::uint32_t, Pair> pairs_;    // by rank, once used
  InFlight in_flight_;
  DescriptorWitness witness_;
  std::vector<std::byte> injected_;  // contiguous buffer for one message
  std::unique_ptr<network::Endpoint>
      endpoint_;  // last: must be closed before the memory that it writes to
};

}  // namespace gondwana::remote
