// The library whose calls are counted.
#pragma once

namespace gondwana::profile {

// Makes the names of the library visible to us. They are already, unless it was loaded later than
// we were, by a module of Python perhaps.
void find_library();

// Loads the library for a program of GASNet-EX or ARMCI, which need not have it. False where it is
// not there.
bool load_library();

}  // namespace gondwana::profile
