// The library whose calls are counted.
#pragma once

namespace gondwana::profile {

// Makes the names of the library visible to us. They are already, unless it was loaded later than
// we were, by a module of Python perhaps.
void find_library();

}  // namespace gondwana::profile
