// What /proc/PID/stat and /proc/PID/status say of a process or of one of its threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gondwana {

struct ProcessStat {
  char state = 'X';  // R runs, S sleeps, T and t are stopped, Z has ended; X: it is gone
  pid_t parent = 0;
  std::uint64_t used_ns = 0;              // of processors, by all its threads
  std::uint64_t used_by_children_ns = 0;  // that it has waited for
  std::uint32_t threads = 0;

  // The first thread may have ended before the others.
  bool is_gone() const { return state == 'X' || (state == 'Z' && threads <= 1); }
  bool is_stopped() const { return state == 'T' || state == 't'; }
};

// `file`: "/proc/7/stat", "/proc/7/task/8/stat". One that is gone where it cannot be read.
ProcessStat read_stat(const std::string& file);
ProcessStat stat_of(pid_t process);

// The number after `name`, such as "SigCgt:", in the status of the process; nothing where that
// cannot be read.
std::optional<std::uint64_t> status_of(pid_t process, std::string_view name, int base);

}  // namespace gondwana
