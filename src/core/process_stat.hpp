// The state of a process or of one of its threads, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gondwana {

struct ProcessStat {
  char state = 'X';  // R runs, S sleeps, T and t are stopped, Z has ended; X: it is gone
  pid_t parent = 0;
  std::uint64_t used_ns = 0;              // processor time of all its threads
  std::uint64_t used_by_children_ns = 0;  // processor time of the children that it has waited for
  std::uint32_t threads = 0;

  // The first thread may have ended before the others.
  bool is_gone() const { return state == 'X' || (state == 'Z' && threads <= 1); }
  bool is_stopped() const { return state == 'T' || state == 't'; }
};

// `file`: "/proc/7/stat", "/proc/7/task/8/stat". If the file cannot be read, the process counts as
// gone.
ProcessStat read_stat(const std::string& file);
ProcessStat stat_of(pid_t process);

// The number after `name`, such as "SigCgt:", in the status of the process; nothing if that cannot
// be read.
std::optional<std::uint64_t> status_of(pid_t process, std::string_view name, int base);

// The process that holds `process` for debugging, or 0.
pid_t tracer_of(pid_t process);

// The first thread's times; 0 if the kernel does not count them.
struct Scheduled {
  std::uint64_t run_ns = 0;
  std::uint64_t delay_ns = 0;  // time in which it was runnable without a processor
};

Scheduled scheduled(pid_t process);

// Words with a space between them; empty if the process is gone.
std::string command_line_of(pid_t process);

// A variable of its environment when its program began; empty if it had none.
std::string variable_of(pid_t process, std::string_view name);

// The name of a thread; empty if it is gone.
std::string thread_name(pid_t process, pid_t thread);

// The children of a thread; nothing if they are unknown.
std::optional<std::vector<pid_t>> children_of(pid_t process, pid_t thread);

// The names in a folder of /proc that are numbers: processes, threads, descriptors.
std::vector<pid_t> numbers_in_folder(const std::string& folder);

}  // namespace gondwana
