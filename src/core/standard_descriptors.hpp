// Descriptors 0 to 2. A program may have been started without them, or have closed them, and go on
// to read or write what has these numbers: that may be no memory, socket or pipe of ours.
#pragma once

#include "core/unique_fd.hpp"

namespace gondwana {

// Opens those that are closed, for good, so that nobody in this process gets their numbers, nor do
// libraries of networks. As before nothing can be read from them, and writing to 1 and 2 fails.
void occupy_standard_descriptors();

// The same file under a number that is none of these.
UniqueFd beyond_standard_descriptors(UniqueFd file);

}  // namespace gondwana
