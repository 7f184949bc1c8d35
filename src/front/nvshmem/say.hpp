// Messages of this door to its users.
#pragma once

#include <string>

namespace gondwana::nvshmem {

void tell(const char* call, const std::string& why);
// Ends the job.
[[noreturn]] void give_up(const char* call, const std::string& why);

}  // namespace gondwana::nvshmem
