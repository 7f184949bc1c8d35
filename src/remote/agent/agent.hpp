// The node agent: a process of its own on every node of a job that has several. It owns the
// registration of all memory of its node, executes what other nodes ask for there, whatever the
// ranks compute meanwhile, and sleeps when nobody asks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "network/settings.hpp"

namespace gondwana {

// What network a job on several nodes would go by here, and from which address; or why by none.
Result<std::string> describe_network(const network::Settings& settings);

class NodeAgent {
 public:
  struct Setup {
    std::shared_ptr<NodeMemory> memory;
    std::uint64_t job_tag = 0;
    network::Settings settings;
    bool may_spin = false;             // whether a processor is free for it
    bool carries = false;              // the messages of its ranks (ThroughAgent)
    std::uint32_t peer_timeout_s = 0;  // silence of a node that means it is lost; 0: nothing does
    // Called when a file of a rank (memory/arena_file.hpp) has been too short for a second: a
    // provider that reads what is gone gets an error and may say nothing. Empty: nobody looks.
    std::function<void(Rank)> on_shortened_file = {};
  };

  static Result<std::unique_ptr<NodeAgent>> open(const Setup& setup);
  NodeAgent(const NodeAgent&) = delete;
  NodeAgent& operator=(const NodeAgent&) = delete;
  ~NodeAgent();

  // How others reach this node.
  const NodeContact& contact() const;

  // Serves until `control` can be read, which is an order to end or the end of who started us; then
  // answers what has come, and returns.
  void serve(int control);

  // How many messages came that were not executed.
  struct Dropped {
    std::uint64_t refused = 0;      // none of this job's, or garbled
    std::uint64_t repeated = 0;     // of this job, by a number that had come before
    std::uint64_t misdirected = 0;  // of this job, for nobody here
  };
  Dropped dropped() const;

 private:
  class Implementation;
  explicit NodeAgent(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gondwana
