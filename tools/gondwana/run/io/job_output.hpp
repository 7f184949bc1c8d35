// All that the ranks of this host write, and what is said about it: carried to where output goes.
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
  // `poller` and `sink` must outlive this.
  JobOutput(Poller& poller, OutputSink& sink) : poller_(&poller), sink_(&sink) {}
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;

  // Forwards what arrives in `pipe` (non-blocking) from now on.
  Result<void> add(std::uint32_t rank, Standard which, UniqueFd pipe);

  // A sentence of ours.
  void say(std::string_view sentence) { sink_->say(sentence); }

  // To be called once a round: writes what can be written, and shows prompts.
  void step();
  // When step() has something to do even if nothing arrives.
  std::optional<std::uint64_t> next_ns() const;

  // To be called instead, once nobody is left to write: true when all that had arrived is written.
  bool drain();

  // Why our output takes no more (errno), or 0.
  int failure() const { return sink_->failure(); }

 private:
  void on_readable(LineForwarder& forwarder);
  Result<void> watch(LineForwarder& forwarder);
  void rest(LineForwarder& forwarder);
  void resume();
  // As much as the sink has room for: true when nothing is left.
  bool take_all();
  bool shows_prompts() const;

  Poller* poller_;
  OutputSink* sink_;
  std::vector<std::unique_ptr<LineForwarder>> forwarders_;
  std::vector<LineForwarder*> paused_;   // not watched: where they go is full
  std::vector<LineForwarder*> resting_;  // not watched either
  std::uint64_t rest_ends_ns_ = 0;
};

}  // namespace gondwana::launch
