// The node agent: a separate process on every node of a job with several nodes. It owns the
// registration of all memory of its node. It executes requests of other nodes, whatever the ranks
// compute meanwhile. It sleeps when there are no requests.
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

// The network and the address that a job on several nodes would use here, or why there is none.
Result<std::string> describe_network(const network::Settings& settings);

class NodeAgent {
 public:
  struct Setup {
    std::shared_ptr<NodeMemory> memory;
    std::uint64_t job_tag = 0;
    network::Settings settings;
    std::shared_ptr<Kinds> kinds = {};  // of the devices of its ranks; null: they have none
    bool may_spin = false;              // whether a processor is free for it
    bool carries = false;               // carries the messages of its ranks (ThroughAgent)
    std::uint32_t peer_timeout_s = 0;   // a node that is silent for longer is lost; 0: no limit
    // Called when a file of a rank (memory/arena_file.hpp) has been too short for a second. A
    // provider that reads the missing part gets an error and may not report it. Empty: no checks.
    std::function<void(Rank)> on_shortened_file = {};
  };

  static Result<std::unique_ptr<NodeAgent>> open(const Setup& setup);
  NodeAgent(const NodeAgent&) = delete;
  NodeAgent& operator=(const NodeAgent&) = delete;
  ~NodeAgent();

  // How other nodes reach this one.
  const NodeContact& contact() const;

  // Serves until `control` is readable, which means an order to end or the end of the parent. Then
  // it answers the requests that have come, and returns.
  void serve(int control);

  // Counts of messages that were not executed.
  struct Dropped {
    std::uint64_t refused = 0;      // not of this job, or malformed
    std::uint64_t repeated = 0;     // of this job, with a number that had come before, or of a
                                    // process that another has replaced
    std::uint64_t misdirected = 0;  // of this job, for no process here
  };
  Dropped dropped() const;

 private:
  class Implementation;
  explicit NodeAgent(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gondwana
