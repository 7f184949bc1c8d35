// What `gondwana why` reports, and `gondwana run` when its time is over.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/found_jobs.hpp"
#include "jobs/watch.hpp"
#include "stacks_module/stacks.hpp"
#include "why/diagnosis.hpp"

namespace gondwana::why {

// Where a rank is, or why that cannot be told.
struct Place {
  std::uint32_t rank;
  pid_t pid;
  Result<std::vector<Frame>> stack;
};

struct Report {
  jobs::JobSeen job;
  Diagnosis diagnosis;
  std::vector<Place> places;  // of culprits
};

// Takes `time`, and what it takes to read stacks.
Report examine(const jobs::FoundJob& job, std::chrono::milliseconds time);

// Lines. `stacks`: with whole stacks, not only the innermost frame of the program.
std::string to_text(const Report& report, bool stacks);
std::string to_json(const Report& report);

// The lines for the job that `process` belongs to, without the last end of line, or nothing where
// it cannot be found.
std::string examine_job_of(pid_t process);

}  // namespace gondwana::why
