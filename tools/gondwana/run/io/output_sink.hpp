// Where the lines of a job go: to our own standard output and error, or to the launcher that
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

  // Whole lines of a rank, or a piece of one: a prompt, or what it wrote last.
  virtual void write(std::uint32_t rank, Standard which, std::string_view text) = 0;
  // A sentence of the launcher.
  virtual void say(std::string_view sentence) = 0;

  // More text now makes us hold more than is good.
  virtual bool is_full(Standard which) const = 0;
  // A user may wait in front of a terminal for an unfinished line.
  virtual bool shows_prompts(Standard which) const = 0;

  // To be called once a round: passes on what can be passed on; true when nothing is left.
  virtual bool flush() = 0;
  // Passes on what it has held to put it together with what follows, of which there is no more.
  virtual void release() {}
  // When it holds something no longer.
  virtual std::optional<std::uint64_t> next_ns() const { return std::nullopt; }
  // Why nothing is taken any more (errno), or 0.
  virtual int failure() const = 0;
};

}  // namespace gondwana::launch
