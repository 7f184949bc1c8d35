// The trace of a job on a node, when its ranks have ended.
#pragma once

#include "core/result.hpp"
#include "observe/trace/node_trace.hpp"
#include "run/io/poller.hpp"
#include "run/job.hpp"
#include "run/node/streams.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

class TraceCollection {
 public:
  // All must outlive this.
  TraceCollection(const Job& job, Poller& poller, const WireUp& wire, Streams& streams)
      : job_(job), poller_(poller), wire_(wire), streams_(streams) {}

  // Writes it, or sends it to the conductor, if the job that ends with this status wants one.
  // False: it could not be written.
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
