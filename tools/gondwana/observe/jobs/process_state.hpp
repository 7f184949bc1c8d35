// What /proc says of a process, beside its state (core/process_stat.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gondwana::jobs {

// Of its first thread; 0 where the kernel does not count it.
struct Scheduled {
  std::uint64_t run_ns = 0;
  std::uint64_t delay_ns = 0;  // that it could run and had no processor
};

Scheduled scheduled(pid_t process);
pid_t parent_of(pid_t process);

// Words with a space between them; empty where the process is gone.
std::string command_line_of(pid_t process);

// A variable of its environment when its program began; empty where it has none.
std::string variable_of(pid_t process, std::string_view name);

// The process that holds `process` for debugging, or 0.
pid_t tracer_of(pid_t process);

}  // namespace gondwana::jobs
