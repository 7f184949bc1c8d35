// The page of `gondwana run --profile=FILE.html`: the ranks write data, and a program in Python
// makes the page and the picture of it when the job has ended.
#pragma once

#include <string>

#include "base/circumstances.hpp"
#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// The file into which the job writes what it has counted: beside the page, with .json in place of
// .html.
std::string profile_data(const Job& job);

// Removes the data and the page of an earlier job, which would be mistaken for those of this one.
// If another file has the name of the data, that is an error.
Result<void> forget_profile(const Job& job);

// After the job. Leaves the data where they are. `began`: when the job was to begin.
Result<void> write_profile_page(const Job& job, const Circumstances& began);

}  // namespace gondwana::launch
