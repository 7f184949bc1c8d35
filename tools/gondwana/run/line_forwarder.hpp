// Carries what one rank writes on one of its streams to ours, in whole lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/unique_fd.hpp"
#include "run/output_stream.hpp"

namespace gondwana::launch {

// What stands before each line.
struct LineStyle {
  bool label = false;
  bool timestamps = false;
};

class LineForwarder {
 public:
  enum class Outcome { more, dry, closed };

  // `to` must outlive this.
  LineForwarder(UniqueFd pipe, std::uint32_t rank, OutputStream& to, LineStyle style)
      : pipe_(std::move(pipe)), rank_(rank), to_(&to), style_(style) {}
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
  const OutputStream& to() const { return *to_; }
  bool holds_text() const { return !held_.empty(); }
  // When the unfinished line was begun or grew.
  std::uint64_t held_since_ns() const { return held_since_ns_; }

 private:
  // A line longer than this is passed on in parts.
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

  void pass_on(std::string_view text);
  std::string prefix() const;

  UniqueFd pipe_;
  std::uint32_t rank_;
  OutputStream* to_;
  LineStyle style_;
  std::string held_;
  std::uint64_t held_since_ns_ = 0;
};

}  // namespace gondwana::launch
