// Waiting for a debugger.
#pragma once

namespace gondwana::gasnet::tools {

// Returns when a debugger has cleared the variable that a sentence on stderr names.
void freeze();

}  // namespace gondwana::gasnet::tools
