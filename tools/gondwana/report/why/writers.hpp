// Finds which rank last wrote the words that a rank waits for. This requires a traced job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "observe/hosts/job_view.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/trace/node_trace.hpp"
#include "observe/trace/symbols.hpp"

namespace gondwana::why {

// A message for each of `ranks` that waits for words, or one message that explains how to find out.
std::vector<std::string> find_writers(hosts::JobView& view, const jobs::JobSeen& job,
                                      const std::vector<std::uint32_t>& ranks,
                                      FunctionRef<bool()> continues);

// The message for one rank that waits for words. `now_ns` is on this host's clock.
std::string describe_writer(const std::vector<trace::NodeTrace>& nodes,
                            const jobs::RankSeen& waiting, std::int64_t now_ns,
                            trace::Symbols& symbols);

}  // namespace gondwana::why
