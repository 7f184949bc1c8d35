// What the end of a rank means for the job, and how it is told.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/control_page.hpp"
#include "run/oom_watch.hpp"

namespace gondwana::launch {

// How a rank was when it ended.
struct Death {
  std::uint32_t rank = 0;
  pid_t pid = 0;
  int wait_status = 0;                // as waitpid() gave it
  std::uint64_t ended_ns = 0;         // CLOCK_MONOTONIC
  bool joined = false;                // it had asked to join the job
  const ControlPage* page = nullptr;  // null: nobody has joined
  OomWatch::Finding oom = OomWatch::Finding::nothing;
};

// By the convention of shells: 0 to 255, or 128 + the signal.
int exit_status(int wait_status);

// Whether the rest of the job cannot or must not go on. A rank that ends with 0 and has called no
// door ends it only once others call one: see Absentees.
bool ends_job(const Death& death);

// "rank 2 on host n1 (pid 123) was killed by SIGSEGV (Segmentation fault) in shmem_barrier_all,
// waiting for 3.2 s; the other 3 ranks are ended"
std::string describe(const Death& death, std::uint32_t others);

// The same for a program whose status only the process that started it knows, which lives on:
// "rank 2 on host n1 (pid 124) ended without finalizing, outside any blocking call; the process
// that started it (pid 123) lives on; the other 3 ranks are ended"
std::string describe_under(pid_t wrapper, const Death& death, std::uint32_t others);

// The same for a rank that runs another program now:
// "rank 2 on host n1 (pid 123) replaced its program by another (exec) outside any blocking call;
// the other 3 ranks are ended"
std::string describe_replaced(const Death& death, std::uint32_t others);

// Of ranks that wait for others that do not come, some of which have ended or wait in exit().
std::string describe_deadlock(std::span<const std::uint32_t> ended,
                              std::span<const std::uint32_t> in_exit);

// "ranks 0-3 were 4 jobs of one rank each: ./hello is linked with libmpi.so.40, whose launcher is
// another; ..."
std::string describe_no_job(std::span<const std::uint32_t> ranks, const std::string& program,
                            const std::string& library);

// A rank that lives, and its page.
struct Survivor {
  std::uint32_t rank;
  const ControlPage* page;
};

// "ranks 0, 1, 3 wait in shmem_barrier_all", or nothing where nobody waits.
std::string describe_waiting(std::span<const Survivor> survivors);

// The same and the ranks that do not wait: "rank 2 is outside any blocking call".
std::string describe_ranks(std::span<const Survivor> survivors);

// "0-2, 5"
std::string format_ranks(std::span<const std::uint32_t> ranks);

// "SIGSEGV"
std::string signal_name(int signal);

std::string host_name();

}  // namespace gondwana::launch
