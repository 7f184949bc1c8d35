// Bytes that wait until a descriptor can take them. Some may belong to several buffers.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gondwana::launch {

class SendBuffer {
 public:
  void append(std::string_view text) {
    if (text.empty()) return;
    if (pieces_.empty() || pieces_.back().shared) pieces_.emplace_back();
    pieces_.back().own += text;
    size_ += text.size();
  }
  void append(std::shared_ptr<const std::string> bytes) {
    size_ += bytes->size();
    pieces_.push_back({.shared = std::move(bytes)});
  }
  std::size_t size() const { return size_; }
  bool is_empty() const { return size_ == 0; }

  // Calls write(bytes), with the contract of write(2), until done or blocked. Returns 0, or the
  // errno of a final error; all bytes are dropped then.
  template <std::invocable<std::string_view> Write>
  int flush(Write&& write) {
    while (!is_empty()) {
      const ssize_t count = write(pieces_.front().text().substr(written_));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (count < 0) {
        const int failure = errno;
        *this = {};
        return failure;
      }
      take(static_cast<std::size_t>(count));
    }
    return 0;
  }

 private:
  struct Piece {
    std::shared_ptr<const std::string> shared = nullptr;
    std::string own = {};  // otherwise
    std::string_view text() const { return shared ? *shared : own; }
  };

  void take(std::size_t count) {
    size_ -= count;
    written_ += count;
    std::string& own = pieces_.front().own;
    if (written_ == pieces_.front().text().size()) {
      pieces_.pop_front();
      written_ = 0;
    } else if (written_ * 2 >= own.size() && !own.empty()) {
      // Erasing the written part copies the rest, so this waits until the rest is the smaller part.
      own.erase(0, written_);
      written_ = 0;
    }
  }

  std::list<Piece> pieces_;  // none of them is empty
  std::size_t written_ = 0;  // bytes of the first piece
  std::size_t size_ = 0;     // bytes that are not written yet
};

}  // namespace gondwana::launch
