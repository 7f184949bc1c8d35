// The names of locks and words that ranks wait for.
#pragma once

#include "jobs/watch.hpp"

namespace gondwana::why {

// Names those that are variables of the program, of ranks on this host. What lies in the heap has
// its name already.
void name_words(jobs::JobSeen& job);

}  // namespace gondwana::why
