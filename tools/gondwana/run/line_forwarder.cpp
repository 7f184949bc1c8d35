#include "run/line_forwarder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

// Local time to the millisecond: 2031-05-20T14:03:07.123
std::string time_of_day() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::localtime_r(&now.tv_sec, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%FT%T", &parts);
  return fmt::format("{}.{:03}", text.data(), now.tv_nsec / 1'000'000);
}

}  // namespace

LineForwarder::Outcome LineForwarder::take() {
  std::array<char, 65536> buffer;  // what a pipe holds
  const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Outcome::dry;
  if (count <= 0) return Outcome::closed;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  const std::size_t last = text.rfind('\n');
  const std::size_t complete = last == std::string_view::npos ? 0 : last + 1;
  if (complete != 0 && !held_.empty()) {
    held_ += text.substr(0, complete);
    release();
  } else {
    pass_on(text.substr(0, complete));
  }
  held_ += text.substr(complete);
  held_since_ns_ = monotonic_ns();
  if (held_.size() >= longest_line) release();
  return Outcome::more;
}

void LineForwarder::release() {
  pass_on(held_);
  held_.clear();
  if (held_.capacity() > sizeof(std::array<char, 65536>)) held_.shrink_to_fit();
}

void LineForwarder::pass_on(std::string_view text) {
  if (!style_.label && !style_.timestamps) return to_->append(this, text);
  const std::string before = prefix();
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!to_->is_in_line_of(this)) to_->append(this, before);
    to_->append(this, text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string LineForwarder::prefix() const {
  std::string result;
  if (style_.timestamps) result = time_of_day() + ' ';
  if (style_.label) result += fmt::format("[{}] ", rank_);
  return result;
}

}  // namespace gondwana::launch
