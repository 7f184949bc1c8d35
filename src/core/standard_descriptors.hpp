// Descriptors 0 to 2. A program may start without them, or close them, and still read or write
// these numbers. Our memory, sockets and pipes must not get them.
#pragma once

#include "core/unique_fd.hpp"

namespace gondwana {

// Opens the closed ones and leaves them open, so that no file of this process or of its network
// libraries gets their numbers. As before, reading from them and writing to 1 and 2 fails.
void occupy_standard_descriptors();

// Duplicates the file under a number above these.
UniqueFd beyond_standard_descriptors(UniqueFd file);

}  // namespace gondwana
