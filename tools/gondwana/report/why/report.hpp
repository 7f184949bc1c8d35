// The report of `gondwana why`, which `gondwana run` also prints at its time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "link/host.hpp"
#include "observe/hosts/job_view.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"
#include "report/why/diagnosis.hpp"

namespace gondwana::why {

struct Report {
  jobs::JobSeen job;
  Diagnosis diagnosis;
  std::vector<stacks::Place> places;  // places of the culprits
  std::vector<std::string> writers;   // messages about the last writes to these words
};

// Takes `time`, plus the time to read stacks. Stops waiting for other hosts once `continues`
// returns false.
Report examine(hosts::JobView& view, std::chrono::milliseconds time, FunctionRef<bool()> continues);

// Returns lines. `stacks`: with complete stacks, not only the innermost frame of the program.
std::string to_text(const Report& report, bool stacks);
std::string to_json(const Report& report);

// The lines for a job, without the last newline; empty if it cannot be found; nothing after an
// interruption. `job` is an id, or a process of the job on this host. `hosts` are those of its
// other nodes. `is_interrupted` is called several times a second, until it returns true.
// examine_job() stops waiting for answers then, or after `max_wait_ns`.
std::optional<std::string> examine_job(const std::string& job, const std::vector<link::Host>& hosts,
                                       std::uint64_t max_wait_ns,
                                       FunctionRef<bool()> is_interrupted);

}  // namespace gondwana::why
