// What the launcher and its remote launchers, one on each host of a job, say to each other over the
// pipes of ssh:
//
//   launcher -> host  Task       what to run, and your part of the job; first
//                     Input      what the reading rank gets on its standard input; empty: its end
//                     Signal     for the ranks
//                     AllNodes   how each node is reached, in their order
//                     End        the job ends elsewhere: end your ranks
//                     Ping       once a second
//                     Taken      that many bytes of Output have been written
//                     Left       a rank of another host has ended and will not take part
//   host -> launcher  Hello      the remote launcher runs; first
//                     Output     lines of a rank
//                     Said       a sentence for the user
//                     ThisNode   how this node is reached by the others
//                     Stopping   this host ends its ranks, because...
//                     Ended      nobody of the job is left here; last
//                     Pong       answers a Ping
//                     Taken      that many bytes of Input have reached the rank
//                     Deaf       nobody reads the input any more
//                     Left       a rank has ended well and has taken no part in the job
//                     TracePart  of the trace of this node, in order; before Ended
//
// Each is a frame (link/framing.hpp) with the tag of the job. Values out of range are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "link/framing.hpp"
#include "run/io/output_sink.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// With which `gondwana run` starts itself as a remote launcher.
inline constexpr std::string_view remote_launcher_option = "--remote-launcher";

struct Task {
  Job job;                               // what of it concerns the host
  std::vector<std::string> environment;  // VAR=value for all processes of this host
  std::string folder;                    // where the launcher runs
};
struct Input {
  std::string text;
};
struct Signal {
  std::uint32_t number = 0;
};
struct AllNodes {
  std::vector<std::string> infos;
};
struct End {
  bool is_on_purpose = false;  // with a status that a rank has chosen
  std::uint32_t status = 0;    // of the job
};
struct Ping {
  std::uint64_t sent_ns = 0;  // by the clock of the launcher
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
  std::uint64_t sent_ns = 0;  // of the ping
  std::uint64_t time_ns = 0;  // by the clock of the host
};
struct Deaf {};
struct Left {
  std::uint32_t rank = 0;
};
struct TracePart {
  std::string bytes;
  bool is_last = true;  // of some ranks, which are then whole
};

using Frame = std::variant<Task, Input, Signal, AllNodes, End, Ping, Taken, Hello, Output, Said,
                           ThisNode, Stopping, Ended, Pong, Deaf, Left, TracePart>;

inline constexpr std::size_t longest_node_info = 4096;
inline constexpr std::uint32_t most_nodes = 1U << 14;

std::string encode(const Frame& frame, std::uint64_t tag);

// Cuts a stream of bytes into frames.
class FrameParser {
 public:
  // The tag that every frame must have; 0: the first frame tells it.
  explicit FrameParser(std::uint64_t tag = 0);

  void add(std::string_view bytes) { cutter_.add(bytes); }

  // The next frame, or nothing where its last byte has not come yet. After an error there is no
  // going on.
  Result<std::optional<Frame>> next();

  // How many bytes the frame that is begun lacks at least, for a reader that must not read more.
  std::size_t missing() const { return cutter_.missing(); }

  std::uint64_t tag() const { return cutter_.tag(); }

 private:
  link::FrameCutter cutter_;
};

}  // namespace gondwana::launch
