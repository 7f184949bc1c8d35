// The system calls by which the engine waits, wakes, yields and reads the clock. The linker puts
// these functions in place of the C library's (--wrap), so the objects of the engine are those of
// the release. Outside of tasks they call the C library.
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <ctime>

#include "simulation/engine/machine.hpp"

namespace gondwana::simulation {
namespace {

// Null outside of tasks.
Machine* machine() {
  Machine* const present = Machine::present();
  return present != nullptr && present->is_in_task() ? present : nullptr;
}

std::optional<Nanoseconds> length_of(const timespec* time) {
  if (time == nullptr) return std::nullopt;
  return static_cast<Nanoseconds>(time->tv_sec) * 1'000'000'000 +
         static_cast<Nanoseconds>(time->tv_nsec);
}

}  // namespace
}  // namespace gondwana::simulation

using gondwana::simulation::length_of;
using gondwana::simulation::machine;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {

long __real_syscall(long number, ...);
int __real_clock_gettime(clockid_t clock, timespec* time);
int __real_sched_yield();
int __real_usleep(useconds_t length);
int __real_gethostname(char* name, size_t size);
ssize_t __real_write(int descriptor, const void* bytes, size_t size);
int __real_poll(pollfd* entries, nfds_t count, int limit_ms);
int __real_ppoll(pollfd* entries, nfds_t count, const timespec* limit, const sigset_t* mask);
int __real_epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* limit,
                        const sigset_t* mask);

// Called in each basic block of sources built with -fsanitize-coverage=trace-pc.
void __sanitizer_cov_trace_pc() {
  if (auto* const here = machine()) here->preempt();
}

int __wrap_clock_gettime(clockid_t clock, timespec* time) {
  auto* const here = machine();
  if (here == nullptr) return __real_clock_gettime(clock, time);
  here->step();
  time->tv_sec = static_cast<time_t>(here->now() / 1'000'000'000);
  time->tv_nsec = static_cast<long>(here->now() % 1'000'000'000);
  return 0;
}

int __wrap_sched_yield() {
  auto* const here = machine();
  if (here == nullptr) return __real_sched_yield();
  here->yield();
  return 0;
}

int __wrap_usleep(useconds_t length) {
  auto* const here = machine();
  if (here == nullptr) return __real_usleep(length);
  here->sleep(std::uint64_t{length} * 1000);
  return 0;
}

int __wrap_gethostname(char* name, size_t size) {
  const auto* const here = gondwana::simulation::Machine::present();
  if (here == nullptr) return __real_gethostname(name, size);
  name[here->host().copy(name, size - 1)] = '\0';
  return 0;
}

// A rank rings the bell of an agent.
ssize_t __wrap_write(int descriptor, const void* bytes, size_t size) {
  if (auto* const here = machine()) here->descriptors_changed();
  return __real_write(descriptor, bytes, size);
}

// NOLINTNEXTLINE(cert-dcl50-cpp): as the C library declares it
long __wrap_syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long words[6];
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  auto* const here = machine();
  if (here != nullptr && number == SYS_membarrier) {
    here->step();
    return 0;
  }
  if (here == nullptr || number != SYS_futex)
    return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  const auto* const word = reinterpret_cast<const std::uint32_t*>(words[0]);
  if (static_cast<int>(words[1]) == FUTEX_WAKE)
    here->wake(word);
  else
    here->wait_on(word, static_cast<std::uint32_t>(words[2]),
                  length_of(reinterpret_cast<const timespec*>(words[3])));
  return 0;
}

// The descriptors are real. A poll never waits for anything outside of the simulation.
int __wrap_poll(pollfd* entries, nfds_t count, int limit_ms) {
  auto* const here = machine();
  if (here == nullptr || limit_ms != 0) return __real_poll(entries, count, limit_ms);
  here->step();
  return __real_poll(entries, count, 0);
}

int __wrap_ppoll(pollfd* entries, nfds_t count, const timespec* limit, const sigset_t* mask) {
  auto* const here = machine();
  if (here == nullptr) return __real_ppoll(entries, count, limit, mask);
  int found = 0;
  here->wait_until([&] { return (found = __real_poll(entries, count, 0)) != 0; }, length_of(limit));
  return found;
}

int __wrap_epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* limit,
                        const sigset_t* mask) {
  auto* const here = machine();
  if (here == nullptr) return __real_epoll_pwait2(epoll, events, count, limit, mask);
  const timespec at_once{};
  int found = 0;
  here->wait_until(
      [&] { return (found = __real_epoll_pwait2(epoll, events, count, &at_once, nullptr)) != 0; },
      length_of(limit));
  return found;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
