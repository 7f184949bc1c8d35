// The route through the rank's own endpoint: to the agents of other nodes, to the memory that they
// have registered, and to the ranks there. Infos in the arenas contain the addresses of ranks. The
// first message makes the connection. The class mirrors Route.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "core/descriptor_witness.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/route.hpp"

namespace gondwana::remote {

class OwnEndpoint final : public Route {
 public:
  static Result<std::unique_ptr<OwnEndpoint>> open(const network::Settings& settings,
                                                   const std::shared_ptr<NodeMemory>& memory,
                                                   Rank me, NodeInfos& nodes);

  Bytes address() const override { return endpoint_->address(); }
  Result<Posted> send_to_agent(std::uint32_t node, std::size_t size, Write write) override;
  Result<Posted> send_batch(std::uint32_t node, BatchSlots::Slot& slot, std::size_t size) override;
  Window window() const override;
  Result<Posted> send_to_rank(Rank to, std::size_t size, Write write, Departure departure) override;
  Result<Posted> send_batch_to_rank(Rank to, BatchSlots::Slot& slot, std::size_t size) override;
  std::size_t longest_transfer() const override { return endpoint_->longest_transfer(); }
  Result<Posted> write(Remote to, Bytes source, Completion& done) override;
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override;
  bool has_writes() const override { return writes_ > 0; }
  void renew(Rank rank) override;
  void abandon(std::uint32_t node, const Error& loss) override;
  bool has_departed() const override { return leaving_ == 0; }
  bool poll(const Handlers& handlers) override;
  bool may_sleep() override { return endpoint_->may_sleep(); }
  void sleep(std::chrono::microseconds limit) override;
  bool was_closed() const override { return witness_.was_closed(); }

 private:
  // A destination of messages.
  struct Line {
    std::uint32_t node = 0;
    network::Peer peer = network::no_peer;
    bool may_inject = false;
    std::uint32_t injected = 0;  // since the last message with a completion
    Completion leaving;          // messages with a completion, in flight
  };
  struct Agent : Line {
    network::Region arenas;  // arenas of the agent's node
  };
  // Another rank. Its info is fetched again while it is empty, and once more when it is not: then
  // everything written before its size became visible is complete.
  struct Pair : Line {
    enum class State : std::uint8_t { unknown, asked, known };
    struct ProcessInfo {
      std::uint64_t size = 0;
      std::array<std::byte, NodeInfo::longest_address> address;
    };
    State state = State::unknown;
    std::unique_ptr<ProcessInfo> info;  // null once the rank is known
    Completion fetching;
    bool is_written = false;
    bool was_used = false;
    std::uint64_t ask_ns = 0;  // earliest time to ask again
  };
  // A write, a read or a message in flight.
  struct Operation : network::Operation {
    Completion* done = nullptr;  // null: nothing is in flight, or its node is lost
    std::uint32_t node = 0;
    bool is_transfer = false;  // write or read
    bool is_write = false;
    bool is_optional = false;        // a message whose failure is no loss
    std::vector<std::byte> message;  // keeps its capacity
    std::size_t size = 0;            // bytes of `message`; 0 if optional
  };

  OwnEndpoint(const std::shared_ptr<NodeMemory>& memory, Rank me, NodeInfos& nodes)
      : memory_(memory), me_(me), nodes_(nodes) {}

  void write_info() const;
  Result<Agent*> agent_of(std::uint32_t node);
  Pair& pair_with(Rank rank);
  Result<Posted> find(Rank rank, Pair& pair);
  Result<Posted> ask(Rank rank, Pair& pair);
  Result<Posted> learn(Rank rank, Pair& pair);
  Result<Posted> send(Line& line, std::size_t size, Write write, Departure departure);
  bool may_inject(const Line& line, std::size_t size) const;
  Result<Posted> send_slot(Line& line, BatchSlots::Slot& slot, std::size_t size);
  Result<Posted> post_send(Line& line, Bytes message, Operation& operation);
  template <typename Post>
  Result<Posted> transfer(Remote place, Completion& done, bool is_write, const Post& post);
  Operation& take_operation(Completion& done, std::uint32_t node);
  void give_back(Operation& operation);
  void end(Operation& operation);

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  NodeInfos& nodes_;
  std::map<std::uint32_t, Agent> agents_;  // by node, once used
  std::map<std::uint32_t, Pair> pairs_;    // by rank, once used
  std::deque<Operation> operations_;       // elements must not move
  std::vector<Operation*> free_;
  std::uint32_t writes_ = 0;  // in flight
  std::size_t leaving_ = 0;   // bytes of messages that have not left, except optional ones
  DescriptorWitness witness_;
  std::vector<std::byte> injected_;  // contiguous buffer for one message
  std::unique_ptr<network::Endpoint>
      endpoint_;  // last: must be closed before the memory that it writes to
};

}  // namespace gondwana::remote
