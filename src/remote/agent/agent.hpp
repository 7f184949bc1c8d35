// The node agent: a separate process on every node of a job with several nodes. It registers all
// memory of its node. It executes requests of other nodes while the ranks compute. It sleeps when
// there are no requests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "network/settings.hpp"
#include "spaces/kinds/kinds.hpp"

namespace gondwana {

// The network and address that a job on several nodes would use here, or the reason why it could
// not.
Result<std::string> describe_network(const network::Settings& settings);

class NodeAgent {
 public:
  struct Setup {
    std::shared_ptr<NodeMemory> memory;
    std::uint64_t job_tag = 0;
    network::Settings settings;
    std::shared_ptr<Kinds> kinds = {};  // the devices of the ranks; null: none
    bool may_spin = false;              // whether a processor is free for the agent
    bool carries = false;  // whether the agent carries the messages of its ranks (ThroughAgent)
    std::uint32_t peer_timeout_s = 0;  // longest silence before a node is lost; 0: no limit
    // Called when a file of a rank (memory/arena_file.hpp) has been too short for a second. A
    // provider that reads the missing part gets an error and may not report it. Empty: no checks.
    std::function<void(Rank)> on_shortened_file = {};
  };

  static Result<std::unique_ptr<NodeAgent>> open(const Setup& setup);
  NodeAgent(const NodeAgent&) = delete;
  NodeAgent& operator=(const NodeAgent&) = delete;
  virtual ~NodeAgent() = default;

  // The data that other nodes need to reach this one.
  virtual const NodeContact& contact() const = 0;

  // Serves until `control` is readable, which means that the agent must end or its parent has
  // ended. Then it replies to the requests that have arrived, and returns.
  virtual void serve(int control) = 0;

  // Counts of messages that were not executed.
  struct Dropped {
    std::uint64_t refused = 0;      // not of this job, or malformed
    std::uint64_t repeated = 0;     // of this job: received before, or of a replaced process
    std::uint64_t misdirected = 0;  // of this job, for a process that does not exist here
  };
  virtual Dropped dropped() const = 0;

 protected:
  NodeAgent() = default;
};

}  // namespace gondwana
