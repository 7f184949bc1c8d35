#include "process/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace gondwana {
namespace {

constexpr std::int64_t unknown = -1;

// Written by the thread that starts the job, read by any.
constinit std::atomic<std::int64_t> known_rank{unknown};

// A message built in place, because memory may be exhausted.
class Line {
 public:
  void add(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    va_list arguments;
    va_start(arguments, format);
    add(format, arguments);
    va_end(arguments);
  }

  void add(const char* format, va_list arguments) {
    const std::size_t room = text_.size() - 1 - length_;  // keeps a byte for the end of the line
    const int wanted = std::vsnprintf(text_.data() + length_, room, format, arguments);
    if (wanted > 0) length_ += std::min(static_cast<std::size_t>(wanted), room - 1);
  }

  void write(int fd) {
    text_[length_++] = '\n';
    const char* rest = text_.data();
    while (length_ > 0) {
      const ssize_t done = ::write(fd, rest, length_);
      if (done <= 0) return;  // stderr is closed: nothing can be reported
      rest += done;
      length_ -= static_cast<std::size_t>(done);
    }
  }

 private:
  std::array<char, 4096> text_{};
  std::size_t length_ = 0;
};

void write_line(int fd, const char* format, va_list arguments) {
  Line line;
  const std::optional<std::uint32_t> self = own_rank();
  line.add("gondwana: ");
  if (self) line.add("rank %u: ", *self);
  line.add(format, arguments);
  line.write(fd);
}

}  // namespace

std::optional<std::uint32_t> own_rank() {
  const std::int64_t known = known_rank.load(std::memory_order_relaxed);
  if (known != unknown) return static_cast<std::uint32_t>(known);
  const char* text = std::getenv("GONDWANA_RANK");
  if (text == nullptr || *text < '0' || *text > '9') return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

void set_own_rank(std::uint32_t rank) {
  known_rank.store(rank, std::memory_order_relaxed);
}

void print_to(int fd, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(fd, format, arguments);
  va_end(arguments);
}

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(STDERR_FILENO, format, arguments);
  va_end(arguments);
}

}  // namespace gondwana
