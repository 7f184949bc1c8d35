// Which shared library a variable belongs to.
#pragma once

#include <string>

namespace gondwana {

// The path of the shared library that has this address in one of its segments; empty where none
// has, as for the variables of the executable, memory of the heap and the stack.
std::string library_of(const void* address);

}  // namespace gondwana
