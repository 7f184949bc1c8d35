// The messages between `gondwana ps`, `why` and `top` and an observer, a process that they start on
// another host. They are sent as frames (link/framing.hpp).
//
//   observer -> asker   Greeting     first
//   asker -> observer   List         -> Listed
//                       Watch        -> Watched
//                       FindPlaces   -> Places
//                       Trace        -> Traced
//                       AskTime      -> Time
//
// Each question has one answer. The observer exits when its input ends.
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
#include "observe/jobs/listing.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::hosts {

struct List {
  bool all = false;  // jobs of all users
};
struct Watch {
  std::string job;  // an id
  std::uint32_t time_ms = 0;
  bool name_awaited_words = false;  // name the words that ranks wait for
};
struct FindPlaces {
  std::string job;
  std::vector<std::uint32_t> ranks;
};

struct Trace {
  std::string job;
  std::uint32_t time_ms = 0;  // how long a job without traces is sampled
};
struct AskTime {};

struct Greeting {
  std::string version;       // version of the command on that host
  std::uint64_t layout = 0;  // memory_fingerprint: the layout that it can read
};
struct Listed {
  std::vector<jobs::Row> rows;
  std::vector<std::string> notes;
};
struct Watched {
  std::optional<jobs::JobSeen> job;  // nothing if the job is not on that host
};
struct Places {
  std::vector<stacks::Place> places;
};

struct Traced {
  std::vector<trace::NodeTrace> nodes;
};
struct Time {
  std::int64_t ns = 0;  // on CLOCK_MONOTONIC
};

// A part of a message that is longer than the maximum of a frame. Parts arrive in order.
struct Part {
  std::uint16_t kind = 0;  // kind of the message
  std::string bytes;
  bool is_last = true;
};

// Part comes last, because encode() never gets one.
using Message = std::variant<List, Watch, FindPlaces, Greeting, Listed, Watched, Places, Trace,
                             AskTime, Traced, Time, Part>;

std::string encode(const Message& message);
// Returns parts of at most `longest` bytes if the message is longer.
std::string encode(const Message& message, std::size_t longest);

// Splits a byte stream into messages.
class MessageParser {
 public:
  MessageParser();

  void add(std::string_view bytes) { cutter_.add(bytes); }

  // Returns the next message, or nothing if it is incomplete. No further calls are allowed after an
  // error.
  Result<std::optional<Message>> next();

 private:
  link::FrameCutter cutter_;
  std::string parts_;  // of a message that is not whole yet
};

}  // namespace gondwana::hosts
