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

struct WaitingCall {
  long number;
  std::string_view name;
  bool has_descriptor = false;  // its first argument is a descriptor
};

// System calls that wait. No architecture has all of them.
constexpr std::array waiting_calls{
    WaitingCall{SYS_read, "read", true},
    WaitingCall{SYS_readv, "readv", true},
    WaitingCall{SYS_pread64, "pread", true},
    WaitingCall{SYS_write, "write", true},
    WaitingCall{SYS_writev, "writev", true},
    WaitingCall{SYS_pwrite64, "pwrite", true},
    WaitingCall{SYS_recvfrom, "recv", true},
    WaitingCall{SYS_recvmsg, "recvmsg", true},
    WaitingCall{SYS_sendto, "send", true},
    WaitingCall{SYS_sendmsg, "sendmsg", true},
    WaitingCall{SYS_accept, "accept", true},
    WaitingCall{SYS_accept4, "accept", true},
    WaitingCall{SYS_connect, "connect", true},
    WaitingCall{SYS_fsync, "fsync", true},
    WaitingCall{SYS_fdatasync, "fdatasync", true},
    WaitingCall{SYS_flock, "flock", true},
    WaitingCall{SYS_fcntl, "fcntl", true},
    WaitingCall{SYS_ioctl, "ioctl", true},
    WaitingCall{SYS_epoll_pwait, "epoll_wait", true},
    WaitingCall{SYS_openat, "open"},
    WaitingCall{SYS_ppoll, "poll"},
    WaitingCall{SYS_pselect6, "select"},
    WaitingCall{SYS_nanosleep, "nanosleep"},
    WaitingCall{SYS_clock_nanosleep, "clock_nanosleep"},
    WaitingCall{SYS_futex, "futex, for a lock or another thread"},
    WaitingCall{SYS_wait4, "wait, for a child process"},
    WaitingCall{SYS_waitid, "wait, for a child process"},
    WaitingCall{SYS_rt_sigtimedwait, "sigwait"},
    WaitingCall{SYS_rt_sigsuspend, "sigsuspend"},
    WaitingCall{SYS_semtimedop, "semop"},
    WaitingCall{SYS_msgrcv, "msgrcv"},
#ifdef SYS_pause
    WaitingCall{SYS_pause, "pause"},
    WaitingCall{SYS_poll, "poll"},
    WaitingCall{SYS_select, "select"},
    WaitingCall{SYS_open, "open"},
    WaitingCall{SYS_epoll_wait, "epoll_wait", true},
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

const WaitingCall* look_up(const Found& found) {
  const auto* call = std::ranges::find(waiting_calls, found.number, &WaitingCall::number);
  return call != waiting_calls.end() ? call : nullptr;
}

std::string describe(const Found& found) {
  const WaitingCall* call = look_up(found);
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
  const WaitingCall* call = look_up(*found);
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
