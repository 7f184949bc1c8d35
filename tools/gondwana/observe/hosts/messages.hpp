// What `gondwana ps`, `why` and `top` ask an observer, the process that they start on another host,
// and what it answers, in frames (link/framing.hpp).
//
//   observer -> asker   Greeting     first
//   asker -> observer   List         -> Listed
//                       Watch        -> Watched
//                       FindPlaces   -> Places
//                       Trace        -> Traced
//                       AskTime      -> Time
//
// Each question has one answer. The observer ends when its input does.
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
  bool all = false;  // of all users
};
struct Watch {
  std::string job;  // an id
  std::uint32_t time_ms = 0;
  bool names_words = false;  // that ranks wait for
};
struct FindPlaces {
  std::string job;
  std::vector<std::uint32_t> ranks;
};

struct Trace {
  std::string job;
  std::uint32_t time_ms = 0;  // that a job that is not traced is looked at
};
struct AskTime {};

struct Greeting {
  std::string version;       // of the command
  std::uint64_t layout = 0;  // memory_fingerprint: what it can read
};
struct Listed {
  std::vector<jobs::Row> rows;
  std::vector<std::string> notes;
};
struct Watched {
  std::optional<jobs::JobSeen> job;  // nothing where it is not on that host
};
struct Places {
  std::vector<stacks::Place> places;
};

struct Traced {
  std::vector<trace::NodeTrace> nodes;
};
struct Time {
  std::int64_t ns = 0;  // CLOCK_MONOTONIC
};

using Message = std::variant<List, Watch, FindPlaces, Greeting, Listed, Watched, Places, Trace,
                             AskTime, Traced, Time>;

std::string encode(const Message& message);

// Cuts a stream of bytes into messages.
class MessageParser {
 public:
  MessageParser();

  void add(std::string_view bytes) { cutter_.add(bytes); }

  // The next message, or nothing where it is not whole yet. After an error there is no going on.
  Result<std::optional<Message>> next();

 private:
  link::FrameCutter cutter_;
};

}  // namespace gondwana::hosts
