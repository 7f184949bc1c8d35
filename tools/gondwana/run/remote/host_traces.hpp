// The trace of a job on several hosts: the parts that their guardians send, and the differences of
// their clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "link/clock_difference.hpp"
#include "observe/trace/node_trace.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

class HostTraces {
 public:
  explicit HostTraces(std::size_t hosts) : hosts_(hosts) {}

  void resize(std::size_t hosts) { hosts_.resize(hosts); }
  // Compares clocks. Returns whether another ping at once would help.
  bool on_pong(std::uint32_t node, const Pong& pong, std::uint64_t now);
  Result<void> add(std::uint32_t node, const TracePart& part);
  // The reason why events of a node are missing.
  std::optional<std::string> fault(std::uint32_t node) const;
  // The traces of all nodes that have sent theirs.
  std::vector<trace::NodeTrace> take();

 private:
  struct Host {
    std::string part;  // bytes that have arrived for some ranks
    std::optional<trace::NodeTrace> trace;
    link::ClockDifference clock;  // measured by our pings
    int pongs = 0;
  };

  std::vector<Host> hosts_;
};

}  // namespace gondwana::launch
