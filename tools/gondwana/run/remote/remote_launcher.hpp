// `gondwana run --far-end`: the launcher on another host of the job, started by the first one.
#pragma once

#include <string_view>

namespace gondwana::launch {

inline constexpr std::string_view far_end_word = "--far-end";

// Runs the part of a job that standard input tells; returns the exit status. What happens is told
// on standard output (frames.hpp). Ends everybody when standard input ends.
int run_far_end();

}  // namespace gondwana::launch
