// The meaning of a rank's end for the job, and its report.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/control_page.hpp"
#include "memory/rank_report.hpp"
#include "run/node/oom_watch.hpp"

namespace gondwana::launch {

// The state that a rank has left in its control page.
struct Remains {
  RankState state = RankState::absent;
  std::string place = {};  // "in shmem_quiet, waiting for 1.2 s"
};
// The state of a rank when it ended.
struct Death {
  std::uint32_t rank = 0;
  std::string host = {};
  pid_t pid = 0;
  int wait_status = 0;  // from waitpid()
  Remains remains = {};
  OomWatch::Finding oom = OomWatch::Finding::nothing;
};

// `pages` are the rank's; null if it has not joined. `joined`: it had asked to join.
Remains remains_of(const RankPages& pages, bool joined, std::uint64_t ended_ns);

// Whether the rest of the job cannot or must not continue. A rank that ends with status 0 and has
// called no door ends the job only if other ranks call one: see Absences.
bool ends_job(int wait_status, RankState state);

// Returns "rank 2 on host n1 (pid 123) was killed by SIGSEGV (Segmentation fault) in
// shmem_barrier_all, waiting for 3.2 s; the other 3 ranks are ended".
std::string describe(const Death& death, std::uint32_t others);

// What follows that sentence in a job that goes on after deaths, but not after this one.
constexpr std::string_view reason_of_end =
    "; the job cannot continue, because a rank has not returned from shmem_init yet, or uses "
    "GASNet-EX or ARMCI";

// What follows that sentence without others, in a job that continues: "; the job continues with 3
// ranks". `left`: the ranks that have not died.
std::string describe_continued(std::uint32_t left);
// At the end of that job: "2 of 8 ranks died, and the job continued: ranks 3, 5". Empty if none
// did. `dead`: sorted. `continued`: whether nothing has ended the job since.
std::string describe_dead(std::span<const std::uint32_t> dead, std::uint32_t ranks,
                          std::uint32_t restarts, bool continued);

// Describes the end of a program whose status is known only to the process that started it, if that
// process lives on: "rank 2 on host n1 (pid 124) ended without finalizing, outside any blocking
// call; the process that started it (pid 123) lives on; the other 3 ranks are ended".
std::string describe_under(pid_t wrapper, const Death& death, std::uint32_t others);

// Describes a rank that now runs another program: "rank 2 on host n1 (pid 123) replaced its program
// (exec) outside any blocking call; the other 3 ranks are ended".
std::string describe_replaced(const Death& death, std::uint32_t others);

// Returns "ranks 0-3 were 4 jobs of one rank each: ./hello is linked with libmpi.so.40, whose
// launcher is another; ...".
std::string describe_no_job(std::span<const std::uint32_t> ranks, const std::string& program,
                            const std::string& library);

}  // namespace gondwana::launch
