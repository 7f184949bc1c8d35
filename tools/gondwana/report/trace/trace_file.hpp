// Writes the trace of a job as a file for Perfetto.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

// Writes the events that ended during the last `last` of the job; 0: all events. The new file
// replaces `file` when it is complete. If `file` is empty, the name is made from the job. Returns a
// summary for the user. A trace without events is an error.
Result<std::string> write_trace(std::vector<NodeTrace> nodes, std::string file,
                                std::chrono::milliseconds last);

}  // namespace gondwana::trace
