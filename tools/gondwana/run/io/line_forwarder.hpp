// Carries what one rank writes on one of its streams to where output goes, in whole lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/unique_fd.hpp"
#include "run/io/output_sink.hpp"

namespace gondwana::launch {

class LineForwarder {
 public:
  enum class Outcome { more, dry, closed };
  using OnFlood = std::function<void()>;

  // `to` must outlive this. `on_flood` is called when lines come fast, at most every 100 ms.
  LineForwarder(UniqueFd pipe, std::uint32_t rank, Standard which, OutputSink& to, OnFlood on_flood)
      : pipe_(std::move(pipe)),
        rank_(rank),
        which_(which),
        to_(&to),
        on_flood_(std::move(on_flood)) {}
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
  // When the unfinished line was begun or grew.
  std::uint64_t held_since_ns() const { return held_since_ns_; }

 private:
  // A line longer than this is passed on in parts.
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

  void pass_on(std::string_view text);
  void look_for_flood(std::string_view text, std::uint64_t now_ns);

  UniqueFd pipe_;
  std::uint32_t rank_;
  Standard which_;
  OutputSink* to_;
  OnFlood on_flood_;
  std::string held_;
  std::uint64_t held_since_ns_ = 0;
  std::uint64_t counts_since_ns_ = 0;
  std::uint64_t flood_told_ns_ = 0;
  int lines_ = 0;  // since then
};

}  // namespace gondwana::launch
