// The events and actions of a guardian's part of a job. Ranks are counted from 0 on this host.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "bootstrap/spawn_command.hpp"
#include "core/result.hpp"
#include "memory/control_page.hpp"
#include "memory/death_list.hpp"
#include "memory/node_plan.hpp"
#include "run/job.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/ending.hpp"
#include "run/node/oom_watch.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

struct RankStarted {
  std::uint32_t rank;
  pid_t pid;
};
// A rank asks for more ranks.
struct RanksWanted {
  std::uint32_t asker;
  std::uint32_t ranks;
  SpawnCommand command;
  std::string path;  // the file that the name resolves to; empty: there is no name
};
// A user wants these ranks, numbered in the job, to end. Sorted, each once.
struct RanksUnwanted {
  std::uint32_t asker;
  std::vector<std::uint32_t> ranks;
  bool others_can_continue = false;  // without a rank
};
// The ranks of AddRanks could not all be started. Those that were started are killed.
struct RanksFailed {
  Session session;
};
struct RankJoined {
  std::uint32_t rank;
  pid_t program;  // the rank's process or one below it
};
struct RankEnded {
  std::uint32_t rank;
  int wait_status;  // from waitpid()
  Remains remains = {};
  OomWatch::Finding oom = OomWatch::Finding::nothing;
  bool others_can_continue = false;  // without it
};
// A program that joined has ended. The kernel reports its end to another process, which lives on.
struct ProgramLost {
  std::uint32_t rank;
  pid_t pid;
  Remains remains;
};
// The answer to LookAtStarter.
struct StarterSeen {
  std::uint32_t rank;
  ProcessorUse use;  // by the process and everything below it
  bool others_can_continue = false;
};
// A program that joined has ended, or no longer runs in its process. This is also the answer to
// LookAtImage.
struct ImageLost {
  std::uint32_t rank;
  pid_t pid;
  bool is_replaced;  // another program runs in the process
  std::string place;
};
// A process of this host runs that was added, or replaces a dead one.
struct RankArrived {
  std::uint32_t rank;
};
// The conductor has numbered these deaths, of ranks of any host.
struct DeathsTold {
  DeadRanks dead;
  bool others_can_continue = false;  // the ranks of this host without them
};
// The answer to RestartRank if no process takes the place of the rank. The reason may be empty.
struct NotRestarted {
  std::uint32_t rank;
  std::string reason;
};
struct RankLeaves {};
// The rank takes no part in the job any more, and the job continues.
struct RankLeft {
  std::uint32_t rank;
};
// The answer to LookAtRanks.
struct RanksSeen {
  std::vector<RankState> states;
  bool others_can_continue = false;  // the job without them
};
// The answer to LookForDeadlock: no rank has made progress since the last check.
struct DeadlockSeen {
  bool any_leaves = false;  // a rank has ended, or waits in exit
  bool all_leave = false;   // all ranks have ended on purpose
  std::string sentence = {};
};
// In a job on several nodes, the agents have found that no rank makes progress.
struct NobodyCanGoOn {
  std::string sentence;
};
struct AgentLost {
  pid_t pid;
  int wait_status;
  std::string error_text = {};  // the reason why it could not serve
  std::string fault = {};       // a known fault of a library
  std::uint64_t pause_ns = 0;   // time in which ranks may finalize
};
struct SignalCame {
  int number;
  bool passed_on = false;  // forwarded by the conductor
};
struct EndElsewhere {
  End end;
  bool is_heard = false;  // this host has already received the signal that ends the job
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
    std::variant<RankStarted, RanksWanted, RanksUnwanted, RanksFailed, RankArrived, RankJoined,
                 RankEnded, ProgramLost, StarterSeen, ImageLost, DeathsTold, NotRestarted,
                 RankLeaves, RankLeft, RanksSeen, DeadlockSeen, NobodyCanGoOn, AgentLost,
                 SignalCame, EndElsewhere, AllEnded, LauncherLost, SweeperLost, OutputFailed,
                 Failed, TraceFailed, Left, protocol::GlobalExit, ShrinkEntry, WorldEntry,
                 Dismissed, Answer, Tick, DescendantsSeen>;

enum class Report {
  waiting,      // the ranks that wait and, if there are any, the ranks that do not
  places,       // where each rank is
  why,          // like `gondwana why`
  why_at_once,  // in a second; nothing if another signal has arrived meanwhile
};
// Start more ranks, and tell their first number to the rank that asked.
struct AddRanks {
  std::uint32_t asker;
  Program program;
  Session session;
};
// Tell a rank that the ranks that it asked for start on other nodes.
struct RanksStart {
  std::uint32_t asker;
  std::uint32_t first;
};
// Tell a rank why the ranks that it asked for do not start.
struct RefuseRanks {
  std::uint32_t asker;
  std::string reason;
};
// Signals the process groups of ranks that are alive.
struct SignalRanks {
  int number;
};
// Tells the ranks of this host that a rank of the job has died, or left it.
struct TellDeath {
  DeadRank dead;
  DeathKind how = DeathKind::death;
};
// Asks a rank to leave the job, or to end.
struct AskToLeave {
  std::uint32_t rank;
};
// The answer to RanksUnwanted.
struct AnswerUser {
  std::uint32_t asker;
  bool is_refused;
  std::string text;
};
// Starts another process in the place of a dead one, once all know of the death.
struct RestartRank {
  std::uint32_t rank;
};
struct AskRanks {};  // sends SIGUSR1 to ranks that handle it
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

// Those from Stopping to Arrived are sent to the conductor.
using NodeAction =
    std::variant<Said, Stopping, Left, RanksDied, RankRuns, RanksEnded, ShrinkEntry, WorldEntry,
                 MoreWanted, LeaveWanted, Arrived, Report, AddRanks, RanksStart, RefuseRanks,
                 SignalRanks, TellDeath, RestartRank, AskToLeave, AnswerUser, AskRanks,
                 EndOnPurpose, SignalAll, LookAtRanks, LookForDeadlock, LookAtStarter, LookAtImage,
                 NeedAgent, ReleaseAgent>;
using NodeActions = std::vector<NodeAction>;

}  // namespace gondwana::launch
