// The trace of a job as a file for Perfetto.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

// Writes what ended in the last `last` of the job, or all of it if that is 0, and replaces the file
// when the new one is whole. An empty name: one after the job. Returns what is in the file, for the
// user; no event is an error.
Result<std::string> write_trace(std::vector<NodeTrace> nodes, std::string file,
                                std::chrono::milliseconds last);

}  // namespace gondwana::trace
