// Carries what one rank writes on one of its streams to where output goes, in whole lines.
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

  // `to` must outlive this.
  LineForwarder(UniqueFd pipe, std::uint32_t rank, Standard which, OutputSink& to)
      : pipe_(std::move(pipe)), rank_(rank), which_(which), to_(&to) {}
  LineForwarder(const LineForwarder&) = delete;
  LineForwarder& operator=(const LineForwarder&) = delete;

  // Reads once and passes on the lines that are complete. Dry: nothing there now.
  Outcome take();

  // Passes on the unfinished line as it is, and for ever: at the end, or for a prompt.
  void release();
  void close() {
    release();
    pipe_.reset();
  }

  bool is_open() const { return static_cast<bool>(pipe_); }
  int fd() const { return pipe_.get(); }
  bool may_take() const { return !to_->is_full(which_); }
  bool may_hold_prompt() const { return !held_.empty() && to_->shows_prompts(which_); }
  // When something was taken last.
  std::uint64_t taken_ns() const { return taken_ns_; }

 private:
  // A line longer than this is passed on in parts.
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
