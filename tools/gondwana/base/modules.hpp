// Modules: parts of the command that need other libraries and are loaded on demand.
#pragma once

#include "core/result.hpp"

namespace gondwana {

// Finds a function of a module such as "libgondwana_binding.so". The error is the loader's.
Result<void*> find_in_module(const char* module, const char* function);

}  // namespace gondwana
