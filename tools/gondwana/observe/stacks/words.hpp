// The names and values of locks and words that ranks wait for.
#pragma once

#include <string>

#include "observe/jobs/watch.hpp"

namespace gondwana::stacks {

// Names the words that are variables of the program, for ranks on this host. Words in the heap
// already have names.
void name_words(jobs::JobSeen& job);

// Formats "is 0" or "are 0, 0, 7, ..."; empty if unknown.
std::string format_value(const jobs::WaitSeen& wait);

// Formats "it is 7" or "one of the 4 is at least 7"; empty if unknown.
std::string format_awaited(const jobs::WaitSeen& wait);

}  // namespace gondwana::stacks
