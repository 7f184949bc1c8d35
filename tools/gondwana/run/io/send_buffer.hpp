// Bytes that wait until a descriptor can take them.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace gondwana::launch {

class SendBuffer {
 public:
  void append(std::string_view text) { pending_ += text; }
  std::size_t size() const { return pending_.size() - written_; }
  bool is_empty() const { return size() == 0; }

  // Calls write(bytes), with the contract of write(2), until done or blocked. Returns 0, or the
  // errno of a final error; all bytes are dropped then.
  template <std::invocable<std::string_view> Write>
  int flush(Write&& write) {
    int failure = 0;
    while (!is_empty() && failure == 0) {
      const ssize_t count = write(std::string_view(pending_).substr(written_));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (count < 0) failure = errno;
      written_ = failure != 0 ? pending_.size() : written_ + static_cast<std::size_t>(count);
    }
    // Erasing the written part copies the rest, so this waits until the rest is the smaller part.
    if (written_ * 2 >= pending_.size()) {
      pending_.erase(0, written_);
      written_ = 0;
    }
    return failure;
  }

 private:
  std::string pending_;
  std::size_t written_ = 0;  // bytes of pending_ already written
};

}  // namespace gondwana::launch
