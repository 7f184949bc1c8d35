// Where a rank is in its program, as `gondwana why` writes it.
#pragma once

#include <string>

#include "observe/stacks/places.hpp"

namespace gondwana::why {

// Lines, each with its end. `whole`: with all frames of all threads.
std::string to_text(const stacks::Place& place, bool whole);
std::string to_json(const stacks::Place& place);

}  // namespace gondwana::why
