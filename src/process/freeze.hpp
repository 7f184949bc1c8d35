// Waits for a debugger.
#pragma once

namespace gondwana {

// Returns when a debugger has cleared the variable that a message on stderr names.
void freeze();
// The same with a variable of the program; `name` is its name in the debugger.
void freeze_on(volatile int& flag, const char* name);

}  // namespace gondwana
