// All that the job writes, and what we say about it ourselves: to our standard output and error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "run/line_forwarder.hpp"
#include "run/output_stream.hpp"
#include "run/poller.hpp"

namespace gondwana::launch {

enum class Standard { output, error };

class JobOutput {
 public:
  // `poller` must outlive this.
  JobOutput(Poller& poller, LineStyle style);
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;

  // Forwards what arrives in `pipe` (non-blocking) from now on.
  Result<void> add(std::uint32_t rank, Standard which, UniqueFd pipe);

  // A sentence of ours on standard error.
  void say(std::string_view sentence);

  // To be called once a round: writes what can be written, and shows prompts.
  void step();
  // When step() has something to do even if nothing arrives.
  std::optional<std::uint64_t> next_ns() const;

  // To be called instead, once nobody is left to write: true when all that had arrived is written.
  bool drain();

  // Why our standard output takes no more (errno), or 0.
  int failure() const { return out_.failure(); }

 private:
  OutputStream& stream(Standard which);
  void on_readable(LineForwarder& forwarder);
  Result<void> watch(LineForwarder& forwarder);
  void flush(OutputStream& stream, bool& watched);
  void resume();

  Poller* poller_;
  LineStyle style_;
  OutputStream out_;
  OutputStream err_;
  bool one_file_;  // 2>&1: one stream for both, or lines would tear each other
  bool out_watched_ = false;
  bool err_watched_ = false;
  std::vector<std::unique_ptr<LineForwarder>> forwarders_;
  std::vector<LineForwarder*> paused_;  // not watched: their stream is full
};

}  // namespace gondwana::launch
