// The trace of a job as a file for Perfetto.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "trace/node_trace.hpp"

namespace gondwana::trace {

// Replaces the file when it is whole.
Result<void> write_trace(const std::vector<NodeTrace>& nodes, const std::string& file);

// What was written, in a sentence or two for the user; an empty trace is an error.
Result<std::string> summary(const std::vector<NodeTrace>& nodes, const std::string& file);

}  // namespace gondwana::trace
