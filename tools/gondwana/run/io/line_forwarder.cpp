#include "run/io/line_forwarder.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/machine.hpp"

namespace gondwana::launch {
LineForwarder::Outcome LineForwarder::take() {
  // Allocated because the stack may be small.
  const auto buffer = std::make_unique_for_overwrite<std::array<char, 65536>>();
  const ssize_t count = ::read(pipe_.get(), buffer->data(), buffer->size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Outcome::dry;
  if (count <= 0) return Outcome::closed;
  const std::string_view text(buffer->data(), static_cast<std::size_t>(count));
  const std::size_t last = text.rfind('\n');
  const std::size_t complete = last == std::string_view::npos ? 0 : last + 1;
  if (complete != 0 && !held_.empty()) {
    held_ += text.substr(0, complete);
    release();
  } else {
    pass_on(text.substr(0, complete));
  }
  held_ += text.substr(complete);
  taken_ns_ = monotonic_ns();
  if (held_.size() >= longest_line) release();
  return Outcome::more;
}

void LineForwarder::release() {
  pass_on(held_);
  held_.clear();
  if (held_.capacity() > sizeof(std::array<char, 65536>)) held_.shrink_to_fit();
}

void LineForwarder::pass_on(std::string_view text) {
  if (!text.empty()) to_->write(rank_, which_, text);
}

}  // namespace gondwana::launch
