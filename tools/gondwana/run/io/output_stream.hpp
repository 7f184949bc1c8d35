// Our own standard output or error: takes pieces of text, writes them when there is room, and never
// blocks for long, so that a paused terminal cannot keep the guardian from ending the job.
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
  // A number for each that appends.
  using Writer = std::uint64_t;

  // `fd` stays open and keeps its flags: others may share them.
  explicit OutputStream(int fd);

  // Adds text of `writer`. Where another writer's last line is unfinished, it is ended first.
  void append(Writer writer, std::string_view text);

  // Writes what can be written now; false: the rest must wait until fd() is writable.
  bool flush();

  int fd() const { return own_ ? own_.get() : fd_; }
  bool is_empty() const { return pending_.is_empty(); }
  // More text now makes us hold more than is good.
  bool is_full() const { return pending_.size() >= high_water; }
  bool is_terminal() const { return kind_ == Kind::terminal; }
  bool is_in_line_of(Writer writer) const { return unfinished_ == writer; }
  bool is_same_file_as(const OutputStream& other) const;

  // Why nothing can be written any more (errno), or 0. Everything appended since is lost.
  int failure() const { return failure_; }

 private:
  enum class Kind { plain, pipe, terminal, socket };
  static constexpr std::size_t high_water = std::size_t{1} << 20;

  void open_own_description();
  ssize_t write_some(std::string_view text);

  int fd_;
  UniqueFd own_;  // the same file opened again, non-blocking; empty where that is not possible
  Kind kind_ = Kind::plain;
  SendBuffer pending_;
  std::optional<Writer> unfinished_;  // whose line is begun
  int failure_ = 0;
};

}  // namespace gondwana::launch
