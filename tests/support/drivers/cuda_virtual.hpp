// Memory of the CUDA replacement that is created, mapped and shared through descriptors.
#pragma once

#include <cstddef>

namespace standin {

// What was not released, unmapped or freed.
std::size_t virtual_memory_left();

}  // namespace standin
