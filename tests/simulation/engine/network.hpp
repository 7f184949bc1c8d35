// A simulated network, which does all that network/endpoint.hpp allows and no more: messages are
// late, large ones are overtaken, writes and reads take effect in pieces and in any order, queues
// are full, links are slow, connections pause, and an endpoint needs its owner's polls if the seed
// says so.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "network/endpoint.hpp"
#include "simulation/engine/machine.hpp"
#include "simulation/engine/wire_rules.hpp"

namespace gondwana::simulation {

class SimulatedEndpoint;

class Network {
 public:
  Network(Machine& machine, WireRules::Setup rules);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  // The network of the job that runs now.
  static Network& present();

  std::unique_ptr<SimulatedEndpoint> open(const network::Receives& receives);
  // The owner of endpoints has died. `is_reset`: operations to them fail.
  void kill(const std::string& owner, bool is_reset);
  std::uint64_t messages() const { return messages_; }

 private:
  friend class SimulatedEndpoint;

  // The behaviour of a network, by the seed.
  struct Manner {
    explicit Manner(Random& random);

    Nanoseconds shortest_latency;
    Nanoseconds longest_latency;
    std::uint64_t busy_one_in;
    std::size_t longest_transfer;
    std::size_t max_injected;
    std::size_t small_message;  // larger ones may be overtaken
    std::size_t queue_limit;    // operations in flight of an endpoint
    std::uint64_t events_per_poll;
    std::uint64_t pause_one_in;  // messages after which a connection pauses
    Nanoseconds longest_pause;
    Nanoseconds kilobyte;     // the time that a link needs for it
    std::size_t link_buffer;  // bytes that have been posted and not left
    bool needs_sender;        // messages leave only while their sender polls
    bool needs_target;        // writes and reads happen only while their target polls
  };
  struct Connection {
    Nanoseconds last_arrival = 0;
    Nanoseconds paused_until = 0;
  };
  // An operation in flight of an endpoint. Its number is not used again.
  struct Operation {
    std::uint64_t from;
    std::uint64_t number;
  };
  struct Message {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::shared_ptr<const std::vector<std::byte>> bytes;
    bool is_injected = false;
  };

  SimulatedEndpoint* find(std::uint64_t number) const;
  void deliver(const Message& message);
  void arrive(const Message& message);
  void transfer(std::uint64_t to, Operation operation, std::byte* target, Bytes source);
  void end_later(Operation operation);
  void fail_later(Operation operation);
  Nanoseconds latency();
  Nanoseconds arrival_of(const Message& message);

  Machine& machine_;
  WireRules rules_;
  Manner manner_;
  std::uint64_t messages_ = 0;
  std::uint64_t opened_ = 0;  // the number of the last endpoint
  std::map<std::uint64_t, SimulatedEndpoint*> endpoints_;
  std::set<std::uint64_t> reset_;  // endpoints that are gone, and whose host says so
  std::map<std::pair<std::uint64_t, std::uint64_t>, Connection> connections_;  // from, to
};

}  // namespace gondwana::simulation
