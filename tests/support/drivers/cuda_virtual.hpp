// Memory that is made, mapped and shared by descriptors, of the stand-in for CUDA's driver.
#pragma once

#include <cstddef>

namespace standin {

// What was not released, unmapped or given back.
std::size_t virtual_memory_left();

}  // namespace standin
