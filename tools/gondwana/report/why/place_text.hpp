// Formats where a rank is in its program, for `gondwana why`.
#pragma once

#include <string>

#include "observe/stacks/places.hpp"

namespace gondwana::why {

// Returns complete lines. `whole`: with all frames of all threads.
std::string to_text(const stacks::Place& place, bool whole);

}  // namespace gondwana::why
