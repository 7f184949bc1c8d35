// `gondwana run --remote-launcher`: the launcher on another host of the job, started by the
// conductor.
#pragma once

namespace gondwana::launch {

// Runs the part of a job that is described on standard input, and returns the exit status. Events
// are reported on standard output (frames.hpp). All processes end when standard input ends.
int run_remote_launcher();

}  // namespace gondwana::launch
