// The messages between the launcher and its remote launchers, one on each host of a job, over the
// pipes of ssh:
//
// launcher -> host  Task       what to run, and the host's part of the job; first
//                   Input      standard input of the reading rank; empty: its end
//                   Signal     for the ranks
//                   NodeRows   how to reach nodes: the rows that have changed
//                   End        the job ends elsewhere: end your ranks
//                   Ping       once a second
//                   Taken      that many bytes of Output have been written
//                   Left       a rank of another host has ended and will not take part
//                   Shrunk     what the members of a team on several hosts get
//                   DeadRanks  ranks have died or left, and the job continues; numbered in one
//                              order
//                   RankRuns   a process runs that replaces a dead rank
//                   AllEnded   no rank of the job is left, see RanksEnded
//                   Grown      nodes have been added, whose rows were sent before
//                   Arrived    a rank that was added runs
//                   WorldDecision  what the ranks of the job get that update the world
//                   Dismissed  a user wants these ranks of the host to leave
//                   Answer     to MoreWanted or LeaveWanted
// host -> launcher  Hello      the remote launcher runs; first
//                   Output     lines of a rank
//                   Said       a message for the user
//                   ThisNode   how other nodes reach this one
//                   Stopping   this host ends its ranks, because...
//                   Ended      no process of the job is left here; last
//                   Pong       answers a Ping
//                   Taken      the rank has read that many bytes of Input
//                   Deaf       the rank reads no more input
//                   Left       a rank has ended with status 0 and took no part in the job
//                   RanksDied  ranks of this host have died or left, in a job that continues
//                   RankRuns   a process of this host runs that replaces a dead rank
//                   RanksEnded  no rank of this host is left. If ranks are started again, its agent
//                              serves ranks of other hosts until AllEnded
//                   ShrinkEntry  a rank enters a shrink of a team on several hosts
//                   MoreWanted  a rank or a user wants more ranks
//                   LeaveWanted  a user wants ranks to leave
//                   Arrived    a rank that was added runs
//                   WorldEntry  a rank enters an update of the world
//                   TracePart  a part of this node's trace, in order; before Ended
//
// Each message is a frame (link/framing.hpp) with the tag of the job. Values out of range are
// refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bootstrap/spawn_command.hpp"
#include "core/result.hpp"
#include "link/framing.hpp"
#include "memory/death_list.hpp"
#include "run/io/output_sink.hpp"
#include "run/job.hpp"
#include "sync/shrink_entry.hpp"
#include "sync/world_entry.hpp"

namespace gondwana::launch {

// The option with which `gondwana run` starts itself as a remote launcher.
inline constexpr std::string_view remote_launcher_option = "--remote-launcher";

struct Task {
  Job job;                               // the host's part of the job
  std::vector<std::string> environment;  // VAR=value for all processes on this host
  std::string folder;                    // the launcher's working folder
};
struct Input {
  std::string text;
};
struct Signal {
  std::uint32_t number = 0;
};
struct NodeRow {
  std::uint32_t node = 0;
  std::uint64_t epoch = 0;  // of the last change
  std::string info;
};
struct NodeRows {
  std::vector<NodeRow> rows;
};
struct End {
  bool is_on_purpose = false;  // a rank has chosen the status
  std::uint32_t status = 0;    // exit status of the job
};
struct Ping {
  std::uint64_t sent_ns = 0;  // on the launcher's clock
};
struct Taken {
  std::uint64_t bytes = 0;
};
struct Hello {};
struct Output {
  std::uint32_t rank = 0;
  Standard which = Standard::output;
  std::string text;
};
struct Said {
  std::string sentence;
};
struct ThisNode {
  std::string info;
};
struct Stopping {
  std::uint32_t status = 0;
  std::string sentence = {};  // may be empty
  bool is_on_purpose = false;
};
struct Ended {
  std::uint32_t status = 0;
};
struct Pong {
  std::uint64_t sent_ns = 0;  // copied from the ping
  std::uint64_t time_ns = 0;  // on the host's clock
};
struct Deaf {};
struct Left {
  std::uint32_t rank = 0;
};
struct RanksDied {
  std::vector<DeadRank> ranks;
  std::uint32_t status = 0;          // of the first
  std::string sentence;              // without the consequence
  DeathKind how = DeathKind::death;  // replaced_death: the host can start others in their places
  bool is_host_lost = false;         // no other host reaches its ranks any more
};
struct DeadRanks {
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};
  std::uint32_t first = 0;  // the number of the first change, from 1
  std::vector<RankDeath> ranks;
  std::uint32_t lost_node = no_node;  // that had these ranks; it has no agent any more
};
struct RankRuns {
  DeadRank process;
  std::uint32_t node = 0;
};
struct MoreWanted {
  std::uint32_t asker = 0;  // a number of the host
  std::uint32_t from = 0;   // the rank whose program they run if there are no words
  std::uint32_t ranks = 0;
  SpawnCommand command;
};
struct LeaveWanted {
  std::uint32_t asker = 0;  // as in MoreWanted
  std::vector<std::uint32_t> ranks;
};
struct Answer {
  std::uint32_t asker = 0;  // as in MoreWanted
  std::uint32_t first = 0;  // of the new ranks
  bool is_refused = false;
  std::string text;  // for a user, or why it is refused
};
struct Grown {
  std::uint32_t ranks = 0;  // with a number, so far
  std::uint32_t nodes = 0;  // so far
};
struct Arrived {
  std::uint32_t rank = 0;
};
struct Dismissed {
  std::vector<std::uint32_t> ranks;
};
struct Shrunk {
  ShrinkDecision decision;
  std::vector<std::uint32_t> ranks;  // the members that have entered
};
struct RanksEnded {};
struct AllEnded {};
struct TracePart {
  std::string bytes;
  bool is_last = true;  // completes the trace of some ranks
};

using Frame =
    std::variant<Task, Input, Signal, NodeRows, End, Ping, Taken, Hello, Output, Said, ThisNode,
                 Stopping, Ended, Pong, Deaf, Left, TracePart, RanksDied, DeadRanks, ShrinkEntry,
                 Shrunk, MoreWanted, LeaveWanted, Answer, Grown, Arrived, Dismissed, WorldEntry,
                 WorldDecision, RankRuns, RanksEnded, AllEnded>;

inline constexpr std::size_t longest_node_info = 4096;
// The conductor has a process and three descriptors for each host.
inline constexpr std::uint32_t max_nodes_in_range = 1U << 14;

std::string encode(const Frame& frame, std::uint64_t tag);

// Splits a byte stream into frames.
class FrameParser {
 public:
  // `tag` is the tag that every frame must have; 0: take it from the first frame.
  explicit FrameParser(std::uint64_t tag = 0);

  void add(std::string_view bytes) { cutter_.add(bytes); }

  // Returns the next frame, or nothing if it is incomplete. No further calls are allowed after an
  // error.
  Result<std::optional<Frame>> next();

  // A lower bound of the bytes missing from the current frame, for a reader that must not read
  // beyond it.
  std::size_t missing() const { return cutter_.missing(); }

  std::uint64_t tag() const { return cutter_.tag(); }

 private:
  link::FrameCutter cutter_;
};

}  // namespace gondwana::launch
