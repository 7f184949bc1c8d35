// Our standard output or error. It holds text until it can be written and never blocks for long, so
// that a paused terminal cannot keep the guardian from ending the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/unique_fd.hpp"
#include "run/io/send_buffer.hpp"

namespace gondwana::launch {

class OutputStream {
 public:
  // Identifies the writer of a text.
  using Writer = std::uint64_t;

  // `fd` stays open and keeps its flags, which other processes may share.
  explicit OutputStream(int fd);

  // Appends text of `writer`. If another writer's last line is unfinished, that line is ended
  // first.
  void append(Writer writer, std::string_view text);

  // Writes as much as possible now. Returns false if the rest must wait until fd() is writable.
  bool flush();

  int fd() const { return own_ ? own_.get() : fd_; }
  bool is_empty() const { return pending_.is_empty(); }
  // True if it holds too much to take more text now.
  bool is_full() const { return pending_.size() >= high_water; }
  bool is_terminal() const { return kind_ == Kind::terminal; }
  bool is_ancestor(Writer writer) const { return unfinished_ == writer; }
  bool is_same_file_as(const OutputStream& other) const;

  // The errno of a failed write, or 0. Everything appended since is lost.
  int failure() const { return failure_; }

 private:
  enum class Kind { plain, pipe, terminal, socket };
  static constexpr std::size_t high_water = std::size_t{1} << 20;

  void open_own_description();
  ssize_t write_some(std::string_view text);

  int fd_;
  UniqueFd own_;  // the same file reopened non-blocking; empty if that is impossible
  Kind kind_ = Kind::plain;
  SendBuffer pending_;
  std::optional<Writer> unfinished_;  // the writer whose line is unfinished
  int failure_ = 0;
};

}  // namespace gondwana::launch
