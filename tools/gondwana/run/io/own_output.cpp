#include "run/io/own_output.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "core/printable.hpp"

namespace gondwana::launch {
namespace {

constexpr OutputStream::Writer launcher = 0;

OutputStream::Writer writer(std::uint32_t rank, Standard which) {
  return 1 + 2 * OutputStream::Writer{rank} + (which == Standard::error ? 1 : 0);
}

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

OwnOutput::OwnOutput(Poller& poller, LineStyle style)
    : poller_(&poller),
      style_(style),
      out_(STDOUT_FILENO),
      err_(STDERR_FILENO),
      one_file_(out_.is_same_file_as(err_)) {}

void OwnOutput::write(std::uint32_t rank, Standard which, std::string_view text) {
  OutputStream& to = stream(which);
  const OutputStream::Writer self = writer(rank, which);
  if (!style_.label && !style_.timestamps) return to.append(self, text);
  const std::string before = prefix(rank);
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!to.is_in_line_of(self)) to.append(self, before);
    to.append(self, text.substr(0, length));
    text.remove_prefix(length);
  }
}

void OwnOutput::say(std::string_view sentence) {
  stream(Standard::error)
      .append(launcher, fmt::format("gondwana run: {}\n", printable_lines(sentence)));
}

std::string OwnOutput::prefix(std::uint32_t rank) const {
  std::string result;
  if (style_.timestamps) result = time_of_day() + ' ';
  if (style_.label) result += fmt::format("[{}] ", rank);
  return result;
}

bool OwnOutput::flush() {
  flush(out_, out_watched_);
  flush(err_, err_watched_);
  return out_.is_empty() && err_.is_empty();
}

void OwnOutput::flush(OutputStream& stream, bool& watched) {
  const bool wait = !stream.flush();
  if (wait == watched) return;
  if (wait) {
    // Nothing to do when it is writable: the next round flushes.
    watched = static_cast<bool>(poller_->watch(stream.fd(), EPOLLOUT, [] {}));
  } else {
    poller_->forget(stream.fd());
    watched = false;
  }
}

}  // namespace gondwana::launch
