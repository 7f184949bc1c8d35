// Errors that GASNet has a code for: the code is returned, and the sentence is said unless the
// client wants none (gex_System_SetVerboseErrors).
#pragma once

#include <string>

#include "core/types.hpp"

namespace gondwana::gasnet {

// Returns `code`.
[[gnu::cold]] int refuse(int code, CallName call, const std::string& sentence);

bool says_errors();
void say_errors(bool aloud);

}  // namespace gondwana::gasnet
