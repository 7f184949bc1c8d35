// What a seed has drawn: a job and what goes wrong with it. Values only, so that a failing plan can
// be made smaller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/schedule.hpp"

namespace gondwana::simulation {

// What a rank does after it has run for a while.
enum class Course {
  finalizes,   // with all others, and then ends with `status`
  exits,       // with `status`, and without finalizing
  dies,        // of `signal`
  hangs,       // waits for what never comes
  computes,    // for ever
  leaves,      // calls exit(), which finalizes
  ends_all,    // shmem_global_exit(status)
  aborts_all,  // the same as an error
  execs,       // another program, which lives for `image`
};
inline constexpr std::uint32_t rank_courses = 9;
enum class AtTerm { dies, ignores, ends_later };

struct RankPlan {
  Time start = 0;  // before it joins, or ends if it never does
  bool joins = true;
  bool has_shell = false;  // a shell has started it
  Time shell = 0;          // how long that lives on
  bool tries = false;      // its first program asks to join, and ends
  bool vanishes = false;   // and the shell starts no other one
  Time gap = 0;            // between both programs
  Time run = 0;
  bool runs = false;  // it computes; otherwise it waits in the library
  Course course = Course::finalizes;
  int status = 0;
  int signal = 0;
  Time linger = 0;  // after finalize
  Time image = 0;
  AtTerm at_term = AtTerm::dies;
  Time term = 0;        // to end after a TERM
  Time unkillable = 0;  // how long SIGKILL waits for a system call
  Time orphan = 0;      // a process that it has started lives so long; 0: none
  bool orphan_ignores_term = false;
};

enum class Start { runs, cannot_connect, no_command, never, no_program };

struct HostPlan {
  Start start = Start::runs;
  Time delay = 0;
  std::optional<std::uint32_t> no_fork;  // for that rank, and no later one
  bool has_network = true;               // otherwise its agent cannot serve
  Time stop_at_kill = 0;                 // its guardian is stopped once it has killed all
  std::vector<RankPlan> ranks;
};

enum class Kind {
  kill_rank,
  stop_rank,      // for `time`
  signal_job,     // `signal` to the launcher of the user
  signal_host,    // to the remote launcher
  signal_all,     // to all processes everywhere, as a batch system does
  kill_launcher,  // of the user
  kill_way,       // ssh, here
  kill_guardian,
  kill_sweeper,
  kill_agent,
  reset,    // of a connection
  silence,  // of both directions for `time`; 0: for ever
  silence_up,
  silence_down,
  slow,     // each message takes `time` longer
  garbage,  // from the host
  power_off,
  stop_guardian,   // for `time`
  stop_conductor,  // for `time`
  lose_reader,     // nobody reads the output
  fill_disk,
  fail_descriptor,  // which the guardian needs
  freeze,           // of all processes of the host and of its network, for `time`
};
inline constexpr std::uint32_t kinds = 23;

struct Fault {
  Kind kind = Kind::kill_rank;
  Time at = 0;  // after the start
  std::uint32_t host = 0;
  std::uint32_t rank = 0;  // of the host
  int signal = 0;
  Time time = 0;
};

struct Plan {
  std::uint64_t seed = 0;
  bool has_conductor = true;
  std::uint32_t peer_timeout_s = 20;
  std::optional<Time> timeout;
  Time latency = 0;  // the most that a message takes
  std::vector<HostPlan> hosts;
  std::vector<Fault> faults;

  std::uint32_t ranks() const;
  // It ends without a word of the user.
  bool ends_alone() const;
  // When all that was planned has happened.
  Time last() const;
};

Plan draw_plan(std::uint64_t seed);
// A job with a rank on each host that runs for ten seconds. `dies`: a rank is killed after five.
Plan large_plan(std::uint32_t hosts, bool dies);
std::string name_of_host(std::uint32_t host);
std::string describe(const Plan& plan);
std::string describe(const Fault& fault);

}  // namespace gondwana::simulation
