// The names and values of locks and words that ranks wait for.
#pragma once

#include <string>

#include "observe/jobs/watch.hpp"

namespace gondwana::stacks {

// Names those that are variables of the program, of ranks on this host. What lies in the heap has
// its name already.
void name_words(jobs::JobSeen& job);

// "is 0", "are 0, 0, 7, ..."; empty where that is not known.
std::string format_value(const jobs::WaitSeen& wait);

// "it is 7", "one of the 4 is at least 7"; empty where that is not known.
std::string format_awaited(const jobs::WaitSeen& wait);

}  // namespace gondwana::stacks
