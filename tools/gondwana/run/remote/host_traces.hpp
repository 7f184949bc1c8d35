// The trace of a job of several hosts: what their guardians send, and how their clocks differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "observe/trace/node_trace.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

class HostTraces {
 public:
  explicit HostTraces(std::size_t hosts) : hosts_(hosts) {}

  // Compares clocks. Whether another ping at once is of use.
  bool on_pong(std::uint32_t node, const Pong& pong, std::uint64_t now);
  Result<void> add(std::uint32_t node, const TracePart& part);
  // Why no events of a node are there, or not all.
  std::optional<std::string> fault(std::uint32_t node) const;
  // Of all nodes that have sent theirs.
  std::vector<trace::NodeTrace> take();

 private:
  struct Host {
    std::string part;  // what has come of some ranks
    std::optional<trace::NodeTrace> trace;
    // By the fastest of our pings.
    std::int64_t ahead_ns = 0;  // of our clock
    std::optional<std::int64_t> error_ns;
    int pongs = 0;
  };

  std::vector<Host> hosts_;
};

}  // namespace gondwana::launch
