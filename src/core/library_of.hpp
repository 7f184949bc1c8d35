// The shared library that a variable belongs to.
#pragma once

#include <string>

namespace gondwana {

// The path of the shared library that has this address in one of its segments. Empty for variables
// of the executable, heap memory and the stack.
std::string library_of(const void* address);

}  // namespace gondwana
