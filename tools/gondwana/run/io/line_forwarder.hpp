// Forwards one stream of one rank to the output sink, in complete lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/unique_fd.hpp"
#include "run/io/output_sink.hpp"

namespace gondwana::launch {

class LineForwarder {
 public:
  enum class Outcome { more, dry, closed };

  // `to` must outlive this object.
  LineForwarder(UniqueFd pipe, std::uint32_t rank, Standard which, OutputSink& to)
      : pipe_(std::move(pipe)), rank_(rank), which_(which), to_(&to) {}
  LineForwarder(const LineForwarder&) = delete;
  LineForwarder& operator=(const LineForwarder&) = delete;

  // Reads once and forwards complete lines. `dry`: nothing is available now.
  Outcome take();

  // Forwards the unfinished line as it is: at the end, or as a prompt.
  void release();
  void close() {
    release();
    pipe_.reset();
  }

  bool is_open() const { return static_cast<bool>(pipe_); }
  int fd() const { return pipe_.get(); }
  bool may_take() const { return !to_->is_full(which_); }
  bool may_hold_prompt() const { return !held_.empty() && to_->shows_prompts(which_); }
  // The time of the last read.
  std::uint64_t taken_ns() const { return taken_ns_; }

 private:
  // A longer line is forwarded in parts.
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

  void pass_on(std::string_view text);

  UniqueFd pipe_;
  std::uint32_t rank_;
  Standard which_;
  OutputSink* to_;
  std::string held_;
  std::uint64_t taken_ns_ = 0;
};

}  // namespace gondwana::launch
