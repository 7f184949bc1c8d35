// The libraries that a program is linked with.
#pragma once

#include <string>
#include <vector>

namespace gondwana::launch {

// The libraries that the file needs, such as "libc.so.6". Empty if the file cannot be read or is
// not a program for this machine.
std::vector<std::string> needed_libraries(const std::string& path);

// The first needed library of another parallel runtime, such as an MPI, which does not know
// `gondwana run`. Empty if there is none.
std::string other_runtime(const std::string& path);

}  // namespace gondwana::launch
