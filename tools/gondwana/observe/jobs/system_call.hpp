// The system call that a process sleeps in, which tells why it does not go on.
#pragma once

#include <sys/types.h>

#include <string>

namespace gondwana::jobs {

// Of the first thread of the process: "read of descriptor 0 (/dev/pts/3)", "clock_nanosleep". Empty
// where it is in none, or may not be looked at.
std::string system_call_of(pid_t process);

// The same for the text of /proc/PID/syscall, without the file of a descriptor.
std::string describe_system_call(const std::string& text);

}  // namespace gondwana::jobs
