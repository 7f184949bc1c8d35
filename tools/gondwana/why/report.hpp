// What `gondwana why` reports, and `gondwana run` when its time is over.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "hosts/job_view.hpp"
#include "jobs/watch.hpp"
#include "run/job.hpp"
#include "why/diagnosis.hpp"
#include "why/places.hpp"

namespace gondwana::why {

struct Report {
  jobs::JobSeen job;
  Diagnosis diagnosis;
  std::vector<Place> places;         // of culprits
  std::vector<std::string> writers;  // sentences: to the words that culprits wait for
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
std::string examine_job(const std::string& job, const std::vector<launch::Host>& hosts,
                        FunctionRef<bool()> goes_on);

}  // namespace gondwana::why
