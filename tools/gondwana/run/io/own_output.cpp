#include "run/io/own_output.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/wrap.hpp"
#include "core/machine.hpp"
#include "core/printable.hpp"

namespace gondwana::launch {
namespace {

constexpr OutputStream::Writer launcher = 0;

OutputStream::Writer writer(std::uint32_t rank, Standard which) {
  return 1 + 2 * OutputStream::Writer{rank} + (which == Standard::error ? 1 : 0);
}

// Local time in milliseconds: 2031-05-20T14:03:07.123
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
  if (which == Standard::error && hold(rank, text)) return;
  if (!style_.label && !style_.timestamps) return to.append(self, text);
  const std::string before = prefix(rank);
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!to.is_ancestor(self)) to.append(self, before);
    to.append(self, text.substr(0, length));
    text.remove_prefix(length);
  }
}

void OwnOutput::say(std::string_view sentence) {
  OutputStream& to = stream(Standard::error);
  const std::string lines = wrap_lines(fmt::format("gondwana run: {}\n", printable_lines(sentence)),
                                       terminal_width(to.fd()));
  errors_.is_empty() ? to.append(launcher, lines) : defer(launcher, lines);
}

// Goes line by line, because much text may arrive at once. If lines carry a rank or a time, all of
// them are shown.
bool OwnOutput::hold(std::uint32_t rank, std::string_view text) {
  if (style_.label || style_.timestamps) return false;
  if (errors_.is_empty() && text.find("gondwana: ") == std::string_view::npos) return false;
  const OutputStream::Writer self = writer(rank, Standard::error);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    if (errors_.take(rank, line, monotonic_ns())) continue;
    errors_.is_empty() ? stream(Standard::error).append(self, line) : defer(self, line);
  }
  if (errors_.is_full()) release();
  return true;
}

void OwnOutput::defer(OutputStream::Writer writer, std::string_view text) {
  constexpr std::size_t max_deferred = std::size_t{256} << 10;
  deferred_.emplace_back(writer, text);
  deferred_size_ += text.size();
  if (deferred_size_ >= max_deferred) release();
}

void OwnOutput::release() {
  if (errors_.is_empty()) return;
  OutputStream& to = stream(Standard::error);
  to.append(launcher, wrap_lines(errors_.release(), terminal_width(to.fd())));
  for (const auto& [writer, text] : std::exchange(deferred_, {})) to.append(writer, text);
  deferred_size_ = 0;
}

std::string OwnOutput::prefix(std::uint32_t rank) const {
  std::string result;
  if (style_.timestamps) result = time_of_day() + ' ';
  if (style_.label) result += fmt::format("[{}] ", rank);
  return result;
}

bool OwnOutput::flush() {
  if (const auto due = errors_.due_ns(); due && monotonic_ns() >= *due) release();
  flush(out_, out_watched_);
  flush(err_, err_watched_);
  return out_.is_empty() && err_.is_empty();
}

void OwnOutput::flush(OutputStream& stream, bool& watched) {
  const bool wait = !stream.flush();
  if (wait == watched) return;
  if (wait) {
    // The handler is empty because the next iteration flushes.
    watched = static_cast<bool>(poller_->watch(stream.fd(), EPOLLOUT, [] {}));
  } else {
    poller_->forget(stream.fd());
    watched = false;
  }
}

}  // namespace gondwana::launch
