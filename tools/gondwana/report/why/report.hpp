// What `gondwana why` reports, and `gondwana run` when its time is over.
#pragma once

#include <chrono>
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
  std::vector<stacks::Place> places;  // of culprits
  std::vector<std::string> writers;   // sentences: to the words that culprits wait for
};

// Takes `time`, and what it takes to read stacks. Other hosts are not waited for where `goes_on`
// says no.
Report examine(hosts::JobView& view, std::chrono::milliseconds time, FunctionRef<bool()> goes_on);

// Lines. `stacks`: with whole stacks, not only the innermost frame of the program.
std::string to_text(const Report& report, bool stacks);
std::string to_json(const Report& report);

// The lines for a job, without the last end of line, or nothing where it cannot be found. `job`: an
// id, or a process of the job on this host. `hosts`: where its other nodes are. `goes_on` is asked
// several times a second; once it says no, no answer is awaited any more.
std::string examine_job(const std::string& job, const std::vector<link::Host>& hosts,
                        FunctionRef<bool()> goes_on);

}  // namespace gondwana::why
