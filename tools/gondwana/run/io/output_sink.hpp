// The destination of a job's output lines: our standard output and error, or the launcher that
// started this host.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gondwana::launch {

enum class Standard { output, error };

class OutputSink {
 public:
  OutputSink() = default;
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;
  virtual ~OutputSink() = default;

  // `text` is complete lines of a rank, or a part of one: a prompt, or the end of its output.
  virtual void write(std::uint32_t rank, Standard which, std::string_view text) = 0;
  // Prints a message of the launcher.
  virtual void say(std::string_view sentence) = 0;

  // True if the sink holds too much to take more text now.
  virtual bool is_full(Standard which) const = 0;
  // True for a terminal: a user may be waiting for an unfinished line.
  virtual bool shows_prompts(Standard which) const = 0;

  // Call this once per iteration. Writes as much as possible; returns true if nothing is left.
  virtual bool flush() = 0;
  // Writes the lines that it has held back to combine them with later ones. No more lines follow.
  virtual void release() {}
  // The time at which it stops holding lines back.
  virtual std::optional<std::uint64_t> next_ns() const { return std::nullopt; }
  // The errno of a failed write, or 0.
  virtual int failure() const = 0;
};

}  // namespace gondwana::launch
