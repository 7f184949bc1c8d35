// The nodes of a job on this host, traced: what they keep in a job that is traced, else the waits
// that are seen from outside for a while.
#pragma once

#include <chrono>
#include <vector>

#include "core/function_ref.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

// `time`: how long to look at a job that is not traced, or until `goes_on` says no.
std::vector<NodeTrace> trace_job(const jobs::FoundJob& job, std::chrono::milliseconds time,
                                 FunctionRef<bool()> goes_on);

}  // namespace gondwana::trace
