// The page of `gondwana run --profile=FILE.html`. The ranks write data; after the job a Python
// program makes the page and its picture.
#pragma once

#include <string>

#include "base/circumstances.hpp"
#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// The data file of the job: the page's name with .json instead of .html.
std::string profile_data(const Job& job);

// Removes the data and the page of an earlier job, which could be mistaken for this job's. Fails if
// the data's name belongs to another file.
Result<void> remove_old_profile(const Job& job);

// Call this after the job. Keeps the data file. `began`: the time at which the job was to begin.
Result<void> write_profile_page(const Job& job, const Circumstances& began);

}  // namespace gondwana::launch
