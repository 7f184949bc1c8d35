// Forwards everything that the ranks of this host write, and our messages, to the output sink.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "run/io/line_forwarder.hpp"
#include "run/io/output_sink.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

class JobOutput {
 public:
  // `poller` and `sink` must outlive this object.
  JobOutput(Poller& poller, OutputSink& sink) : poller_(&poller), sink_(&sink) {}
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;

  // Starts forwarding from `pipe`, which must be non-blocking.
  Result<void> add(std::uint32_t rank, Standard which, UniqueFd pipe);

  // Prints a message of the launcher.
  void say(std::string_view sentence) { sink_->say(sentence); }

  // Call this once per iteration: writes as much as possible, and shows prompts.
  void step();
  // The time at which step() has work even if nothing arrives.
  std::optional<std::uint64_t> next_ns() const;

  // Call this instead of step() once all writers have ended. Returns true when everything has been
  // written.
  bool drain();

  // The number of pipes that may still have something.
  std::size_t streams() const { return forwarders_.size(); }

  // The errno of a failure of our output, or 0.
  int failure() const { return sink_->failure(); }

 private:
  void on_readable(LineForwarder& forwarder);
  Result<void> watch(LineForwarder& forwarder);
  void rest(LineForwarder& forwarder);
  void resume();
  void close(LineForwarder& forwarder);
  // Reads as much as the sink can take; true if nothing is left.
  bool take_all();
  bool shows_prompts() const;

  Poller* poller_;
  OutputSink* sink_;
  std::vector<std::unique_ptr<LineForwarder>> forwarders_;
  std::vector<LineForwarder*> paused_;   // not polled: their sink is full
  std::vector<LineForwarder*> resting_;  // not polled: they pause
  std::uint64_t rest_ends_ns_ = 0;
  bool has_closed_ = false;  // one of forwarders_
};

}  // namespace gondwana::launch
