// Tells a user how to start more ranks, if a program names a rank that its job does not have.
#pragma once

#include <cstdint>
#include <string>

namespace gondwana {

// "; start it by gondwana run -n 2 ./heat" if one process is the whole job. Empty otherwise, and
// for a negative `named`.
std::string start_with_more(std::uint32_t ranks, std::int64_t named,
                            const char* launcher = "gondwana run");

}  // namespace gondwana
