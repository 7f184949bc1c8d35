// The trace of a job on a node, collected when its ranks have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "observe/trace/node_trace.hpp"
#include "run/io/poller.hpp"
#include "run/job.hpp"
#include "run/node/streams.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

// The destination of the node's trace when the job ends with this status.
enum class TraceDestination : std::uint8_t { nowhere, to_conductor, to_file };
TraceDestination trace_destination(const Job& job, int status, bool anybody_joined);
// Calls `send` with `bytes` in parts of at most `longest`.
void send_in_parts(const std::string& bytes, std::size_t longest,
                   FunctionRef<void(const TracePart&)> send);

class TraceCollection {
 public:
  // All arguments must outlive this object.
  TraceCollection(const Job& job, Poller& poller, const WireUp& wire, Streams& streams)
      : job_(job), poller_(poller), wire_(wire), streams_(streams) {}

  // Writes the trace, or sends it to the conductor, if the job requests one for this status.
  // Returns false if it could not be written.
  bool deliver(int status);

 private:
  Result<trace::NodeTrace> read();
  void send(const trace::NodeTrace& node);

  const Job& job_;
  Poller& poller_;
  const WireUp& wire_;
  Streams& streams_;
};

}  // namespace gondwana::launch
