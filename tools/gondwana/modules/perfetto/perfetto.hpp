// What the Perfetto module gives to `gondwana trace`: a writer of trace files for Perfetto, by
// protobuf. One build makes both, so C++ types may cross.
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

// What a track shows from some time on, in nanoseconds of one clock.
struct Mark {
  std::uint64_t track;
  std::uint64_t time_ns;
  std::string_view name;
  std::string_view category;
  std::span<const Argument> arguments;
  std::span<const std::uint64_t> flows_out;  // each to a mark that has it among flows_in
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

// Numbers of tracks are of the caller's choice, and not 0. A track is there before its marks. Marks
// of a track come in the order of their times.
class TraceWriter {
 public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  virtual ~TraceWriter() = default;

  // Each has a number that no other process has; empty texts are not known.
  virtual void add_process(std::uint64_t track, const ProcessTrack& process) = 0;
  // The process is there before. The thread with its number is its first one.
  virtual void add_thread(std::uint64_t track, const ThreadTrack& thread) = 0;
  virtual void begin(const Mark& mark) = 0;
  virtual void end(std::uint64_t track, std::uint64_t time_ns) = 0;
  virtual void at_once(const Mark& mark) = 0;
  // Writes what is held back.
  virtual Result<void> finish() = 0;
};

inline constexpr const char* perfetto_symbol = "gondwana_perfetto_writer";

// Writes to `file`, which stays open.
using MakeTraceWriter = void (*)(int file, std::unique_ptr<TraceWriter>* writer);

}  // namespace gondwana::perfetto
