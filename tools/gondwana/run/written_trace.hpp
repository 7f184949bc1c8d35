// The file of `gondwana run --trace`.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"
#include "trace/node_trace.hpp"

namespace gondwana::launch {

// Returns what is in the file, for the user.
Result<std::string> write_trace(std::vector<trace::NodeTrace> nodes, const TraceWish& wish);

}  // namespace gondwana::launch
