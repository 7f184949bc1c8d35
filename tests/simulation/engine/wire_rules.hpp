// What may be on the wire: a rank keeps to the limits of batches without an answer, and an agent
// answers only what it has received and executed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/types.hpp"
#include "remote/protocol.hpp"
#include "simulation/engine/machine.hpp"

namespace gondwana::simulation {

class WireRules {
 public:
  struct Setup {
    std::uint64_t tag;
    std::function<std::uint64_t(std::uint32_t)> executed;  // batches, by the agent of a node
  };

  WireRules(Machine& machine, Setup setup) : machine_(machine), setup_(std::move(setup)) {}

  // `by_rank`: from the endpoint of a rank.
  void leaves(Bytes message, bool by_rank);
  // Just before its receiver handles it.
  void arrives(Bytes message);

 private:
  // The batches of a rank to a node.
  struct Stream {
    std::map<std::uint32_t, std::size_t> unanswered;  // of the rank: sizes, by number
    std::set<std::uint32_t> travelling;               // numbers
    std::size_t bytes = 0;                            // unanswered
    std::uint32_t answered = 0;                       // by the agent, perhaps not yet received
  };

  Stream& stream(std::uint32_t rank, std::uint32_t node) { return streams_[{node, rank}]; }
  void leaves(const remote::Batch& batch, std::size_t size, bool by_rank);
  void leaves(const remote::Reply& reply);

  Machine& machine_;
  Setup setup_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> streams_;  // by node and rank
};

}  // namespace gondwana::simulation
