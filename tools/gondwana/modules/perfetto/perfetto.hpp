// The interface of the Perfetto module for `gondwana trace`: a writer of trace files that uses
// protobuf. One build makes both, so they can share C++ types.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.hpp"

namespace gondwana::perfetto {

struct Argument {
  std::string_view name;
  std::variant<std::uint64_t, std::string_view> value;
};

// The state of a track from a given time on, in nanoseconds of one clock.
struct Mark {
  std::uint64_t track;
  std::uint64_t time_ns;
  std::string_view name;
  std::string_view category;
  std::span<const Argument> arguments;
  std::span<const std::uint64_t> flows_out;  // each number is also in flows_in of a later mark
  std::span<const std::uint64_t> flows_in;
};

struct ProcessTrack {
  std::uint32_t process;
  std::string_view name;
  std::string_view program;
};
struct ThreadTrack {
  std::uint32_t process;
  std::uint32_t thread;
  std::string_view name;
};

// The caller chooses track numbers other than 0. A track is added before its marks, and its marks
// are added in the order of time.
class TraceWriter {
 public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  virtual ~TraceWriter() = default;

  // Each process has a unique number; an empty text is unknown.
  virtual void add_process(std::uint64_t track, const ProcessTrack& process) = 0;
  // The process must already exist. The thread with the process's number is its main thread.
  virtual void add_thread(std::uint64_t track, const ThreadTrack& thread) = 0;
  virtual void begin(const Mark& mark) = 0;
  virtual void end(std::uint64_t track, std::uint64_t time_ns) = 0;
  virtual void at_once(const Mark& mark) = 0;
  // Writes buffered data.
  virtual Result<void> finish() = 0;
};

inline constexpr const char* perfetto_symbol = "gondwana_perfetto_writer";

// Writes to `file`, which stays open.
using MakeTraceWriter = void (*)(int file, std::unique_ptr<TraceWriter>* writer);

}  // namespace gondwana::perfetto
