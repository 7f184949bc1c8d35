// What /proc says about a process besides its state (core/process_stat.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gondwana::jobs {

// The main thread's times; 0 if the kernel does not count them.
struct Scheduled {
  std::uint64_t run_ns = 0;
  std::uint64_t delay_ns = 0;  // time that it was runnable without a processor
};

Scheduled scheduled(pid_t process);
pid_t parent_of(pid_t process);

// The words separated by spaces; empty if the process has ended.
std::string command_line_of(pid_t process);

// A variable of the process's initial environment; empty if it is not set.
std::string variable_of(pid_t process, std::string_view name);

// The process that debugs `process`, or 0.
pid_t tracer_of(pid_t process);

}  // namespace gondwana::jobs
