// Waiting for a debugger.
#pragma once

namespace gondwana {

// Returns when a debugger has cleared the variable that a sentence on stderr names.
void freeze();
// The same with a variable of the program's; `name`: as the debugger knows it.
void freeze_on(volatile int& flag, const char* name);

}  // namespace gondwana
