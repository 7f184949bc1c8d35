// What happens to the part of a job that a guardian has, and what it does then. Ranks are counted
// from 0 on this host.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "memory/control_page.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/ending.hpp"
#include "run/node/oom_watch.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

struct RankStarted {
  std::uint32_t rank;
  pid_t pid;
};
struct RankJoined {
  std::uint32_t rank;
  pid_t program;  // the process of the rank or one below
};
struct RankEnded {
  std::uint32_t rank;
  int wait_status;  // as waitpid() gave it
  Remains remains = {};
  OomWatch::Finding oom = OomWatch::Finding::nothing;
};
// A program that joined has ended, and the kernel tells its end to another process that lives on.
struct ProgramLost {
  std::uint32_t rank;
  pid_t pid;
  Remains remains;
};
// Answers LookAtStarter.
struct StarterSeen {
  std::uint32_t rank;
  ProcessorUse use;  // of it and all below
};
// A program that joined has ended or runs no longer in its process. Also answers LookAtImage.
struct ImageLost {
  std::uint32_t rank;
  pid_t pid;
  bool is_replaced;  // another program runs there
  std::string place;
};
struct RankLeaves {};
// Answers LookAtRanks.
struct RanksSeen {
  std::vector<RankState> states;
};
// Answers LookForDeadlock: no rank has gone on since the look before.
struct DeadlockSeen {
  bool any_leaves = false;  // has ended, or waits in exit
  bool all_leave = false;   // on purpose
  std::string sentence = {};
};
// Likewise, of a job on several nodes: their agents have found it.
struct NobodyCanGoOn {
  std::string sentence;
};
struct AgentLost {
  pid_t pid;
  int wait_status;
  std::string complaint = {};  // why it could not serve
  std::string fault = {};      // a known one of a library
  std::uint64_t pause_ns = 0;  // in which ranks may finalize
};
struct SignalCame {
  int number;
  bool passed_on = false;  // by the conductor
};
struct EndElsewhere {
  End end;
  bool is_heard = false;  // the signal that ends the job has come to this host already
};
struct LauncherLost {
  std::string sentence;
};
struct SweeperLost {
  pid_t pid;
};
struct OutputFailed {
  int reason;  // errno
};
struct Failed {
  Error error;
  int status = 1;
};
struct TraceFailed {};
struct Tick {};

using NodeEvent =
    std::variant<RankStarted, RankJoined, RankEnded, ProgramLost, StarterSeen, ImageLost,
                 RankLeaves, RanksSeen, DeadlockSeen, NobodyCanGoOn, AgentLost, SignalCame,
                 EndElsewhere, LauncherLost, SweeperLost, OutputFailed, Failed, TraceFailed, Left,
                 protocol::GlobalExit, Tick, DescendantsSeen>;

enum class Report {
  waiting,      // which ranks wait, and those that do not where some do
  places,       // where each rank is
  why,          // as `gondwana why` does
  why_at_once,  // in a second; nothing where another signal has come meanwhile
};
// To the process groups of ranks that live.
struct SignalRanks {
  int number;
};
struct AskRanks {};  // SIGUSR1, to ranks that catch it
struct EndOnPurpose {
  int status;
};
struct SignalAll {
  int number;
};
struct LookAtRanks {};
struct LookForDeadlock {};
struct LookAtStarter {
  std::uint32_t rank;
};
struct LookAtImage {
  std::uint32_t rank;
  pid_t pid;
};
struct NeedAgent {};
struct ReleaseAgent {};

// Stopping and Left are for the conductor.
using NodeAction =
    std::variant<Said, Stopping, Left, Report, SignalRanks, AskRanks, EndOnPurpose, SignalAll,
                 LookAtRanks, LookForDeadlock, LookAtStarter, LookAtImage, NeedAgent, ReleaseAgent>;
using NodeActions = std::vector<NodeAction>;

}  // namespace gondwana::launch
