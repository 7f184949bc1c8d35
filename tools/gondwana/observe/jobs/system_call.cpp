#include "observe/jobs/system_call.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

namespace gondwana::jobs {
namespace {

struct Known {
  long number;
  std::string_view name;
  bool has_descriptor = false;  // its first argument is a descriptor
};

// System calls that wait. No architecture has all of them.
constexpr std::array known{
    Known{SYS_read, "read", true},
    Known{SYS_readv, "readv", true},
    Known{SYS_pread64, "pread", true},
    Known{SYS_write, "write", true},
    Known{SYS_writev, "writev", true},
    Known{SYS_pwrite64, "pwrite", true},
    Known{SYS_recvfrom, "recv", true},
    Known{SYS_recvmsg, "recvmsg", true},
    Known{SYS_sendto, "send", true},
    Known{SYS_sendmsg, "sendmsg", true},
    Known{SYS_accept, "accept", true},
    Known{SYS_accept4, "accept", true},
    Known{SYS_connect, "connect", true},
    Known{SYS_fsync, "fsync", true},
    Known{SYS_fdatasync, "fdatasync", true},
    Known{SYS_flock, "flock", true},
    Known{SYS_fcntl, "fcntl", true},
    Known{SYS_ioctl, "ioctl", true},
    Known{SYS_epoll_pwait, "epoll_wait", true},
    Known{SYS_openat, "open"},
    Known{SYS_ppoll, "poll"},
    Known{SYS_pselect6, "select"},
    Known{SYS_nanosleep, "nanosleep"},
    Known{SYS_clock_nanosleep, "clock_nanosleep"},
    Known{SYS_futex, "futex, for a lock or another thread"},
    Known{SYS_wait4, "wait, for a child process"},
    Known{SYS_waitid, "wait, for a child process"},
    Known{SYS_rt_sigtimedwait, "sigwait"},
    Known{SYS_rt_sigsuspend, "sigsuspend"},
    Known{SYS_semtimedop, "semop"},
    Known{SYS_msgrcv, "msgrcv"},
#ifdef SYS_pause
    Known{SYS_pause, "pause"},
    Known{SYS_poll, "poll"},
    Known{SYS_select, "select"},
    Known{SYS_open, "open"},
    Known{SYS_epoll_wait, "epoll_wait", true},
#endif
};

struct Found {
  long number = -1;
  int descriptor = -1;
};

// Parses "0 0x0 0x7ffd...", or "running".
std::optional<Found> parse(const std::string& text) {
  std::istringstream words(text);
  Found found;
  std::string argument;
  if (!(words >> found.number) || found.number < 0) return std::nullopt;
  if (words >> argument)
    found.descriptor = static_cast<int>(std::strtoul(argument.c_str(), nullptr, 16));
  return found;
}

const Known* look_up(const Found& found) {
  const auto* call = std::ranges::find(known, found.number, &Known::number);
  return call != known.end() ? call : nullptr;
}

std::string describe(const Found& found) {
  const Known* call = look_up(found);
  if (call == nullptr) return fmt::format("system call {}", found.number);
  if (!call->has_descriptor) return std::string(call->name);
  return fmt::format("{} of descriptor {}", call->name, found.descriptor);
}

}  // namespace

std::string describe_system_call(const std::string& text) {
  const std::optional<Found> found = parse(text);
  return found ? describe(*found) : std::string();
}

std::string system_call_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/syscall", process));
  std::string text;
  std::getline(file, text);
  const std::optional<Found> found = parse(text);
  if (!found) return {};
  const Known* call = look_up(*found);
  if (call == nullptr || !call->has_descriptor) return describe(*found);
  std::error_code failure;
  const auto target = std::filesystem::read_symlink(
      fmt::format("/proc/{}/fd/{}", process, found->descriptor), failure);
  if (failure) return describe(*found);
  const std::string name = target.string();
  return fmt::format("{} ({})", describe(*found),
                     name.starts_with("pipe:")     ? "a pipe"
                     : name.starts_with("socket:") ? "a socket"
                                                   : name);
}

}  // namespace gondwana::jobs
