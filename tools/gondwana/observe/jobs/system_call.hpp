// The system call in which a process sleeps: it shows why the process does not continue.
#pragma once

#include <sys/types.h>

#include <string>

namespace gondwana::jobs {

// The system call of the main thread: "read of descriptor 0 (/dev/pts/3)", "clock_nanosleep". Empty
// if there is none, or if access is denied.
std::string system_call_of(pid_t process);

// Parses the text of /proc/PID/syscall. The result does not name the file of a descriptor.
std::string describe_system_call(const std::string& text);

}  // namespace gondwana::jobs
