// `gondwana run --remote-launcher`: the launcher on another host of the job, started by the first
// one.
#pragma once

namespace gondwana::launch {

// Runs the part of a job that standard input tells; returns the exit status. What happens is told
// on standard output (frames.hpp). Ends everybody when standard input ends.
int run_remote_launcher();

}  // namespace gondwana::launch
