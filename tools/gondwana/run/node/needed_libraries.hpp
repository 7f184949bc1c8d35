// What a program is linked with.
#pragma once

#include <string>
#include <vector>

namespace gondwana::launch {

// The libraries that the file names, such as "libc.so.6"; none of a file that is no program of this
// machine, or that cannot be read.
std::vector<std::string> needed_libraries(const std::string& path);

// The first of them that belongs to another runtime of parallel programs, such as an MPI, which
// knows nothing of `gondwana run`; empty: none.
std::string other_runtime(const std::string& path);

}  // namespace gondwana::launch
