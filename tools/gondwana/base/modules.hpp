// Parts of the command that need libraries of others: modules, loaded when they are needed.
#pragma once

#include "core/result.hpp"

namespace gondwana {

// A function of a module, such as "libgondwana_binding.so". The error is what the loader says.
Result<void*> find_in_module(const char* module, const char* function);

}  // namespace gondwana
