// The traces of a job's nodes on this host. A traced job has stored its events; the waits of other
// jobs are sampled from outside.
#pragma once

#include <chrono>
#include <vector>

#include "core/function_ref.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

// A job that is not traced is sampled for `time`, or until `continues` returns false.
std::vector<NodeTrace> trace_job(const jobs::FoundJob& job, std::chrono::milliseconds time,
                                 FunctionRef<bool()> continues);

}  // namespace gondwana::trace
