#include "run/job_output.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

// An unfinished line on a terminal is a prompt once nothing has followed for so long.
constexpr std::uint64_t prompt_after_ns = 200'000'000;

bool may_be_prompt(const LineForwarder& forwarder) {
  return forwarder.holds_text() && forwarder.to().is_terminal();
}

}  // namespace

JobOutput::JobOutput(Poller& poller, LineStyle style)
    : poller_(&poller),
      style_(style),
      out_(STDOUT_FILENO),
      err_(STDERR_FILENO),
      one_file_(out_.is_same_file_as(err_)) {}

OutputStream& JobOutput::stream(Standard which) {
  return which == Standard::output || one_file_ ? out_ : err_;
}

Result<void> JobOutput::add(std::uint32_t rank, Standard which, UniqueFd pipe) {
  forwarders_.push_back(
      std::make_unique<LineForwarder>(std::move(pipe), rank, stream(which), style_));
  return watch(*forwarders_.back());
}

Result<void> JobOutput::watch(LineForwarder& forwarder) {
  return poller_->watch(forwarder.fd(), EPOLLIN, [this, &forwarder] { on_readable(forwarder); });
}

void JobOutput::say(std::string_view sentence) {
  stream(Standard::error).append(this, fmt::format("gondwana run: {}\n", sentence));
}

void JobOutput::on_readable(LineForwarder& forwarder) {
  if (!forwarder.is_open()) return;
  if (forwarder.to().is_full()) {
    // An ended pipe is always ready: only forgetting it keeps us from spinning.
    poller_->forget(forwarder.fd());
    paused_.push_back(&forwarder);
    return;
  }
  if (forwarder.take() != LineForwarder::Outcome::closed) return;
  poller_->forget(forwarder.fd());
  forwarder.close();
}

void JobOutput::flush(OutputStream& stream, bool& watched) {
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

void JobOutput::resume() {
  const auto stay = std::partition(paused_.begin(), paused_.end(),
                                   [](const LineForwarder* one) { return one->to().is_full(); });
  std::for_each(stay, paused_.end(), [this](LineForwarder* one) {
    if (one->is_open() && !watch(*one)) one->close();
  });
  paused_.erase(stay, paused_.end());
}

void JobOutput::step() {
  if (out_.is_terminal() || err_.is_terminal()) {
    const std::uint64_t now = monotonic_ns();
    for (const auto& forwarder : forwarders_)
      if (may_be_prompt(*forwarder) && now >= forwarder->held_since_ns() + prompt_after_ns)
        forwarder->release();
  }
  flush(out_, out_watched_);
  flush(err_, err_watched_);
  resume();
}

std::optional<std::uint64_t> JobOutput::next_ns() const {
  std::optional<std::uint64_t> next;
  if (!out_.is_terminal() && !err_.is_terminal()) return next;
  for (const auto& forwarder : forwarders_) {
    if (!may_be_prompt(*forwarder)) continue;
    const std::uint64_t due = forwarder->held_since_ns() + prompt_after_ns;
    next = std::min(next.value_or(due), due);
  }
  return next;
}

bool JobOutput::drain() {
  bool all = true;
  for (const auto& forwarder : forwarders_) {
    if (!forwarder->is_open()) continue;
    poller_->forget(forwarder->fd());
    LineForwarder::Outcome outcome = LineForwarder::Outcome::more;
    while (outcome == LineForwarder::Outcome::more && !forwarder->to().is_full())
      outcome = forwarder->take();
    // Dry but not ended: somebody outside the job has the other end. Nobody waits for that.
    if (outcome == LineForwarder::Outcome::more)
      all = false;
    else
      forwarder->close();
  }
  flush(out_, out_watched_);
  flush(err_, err_watched_);
  return all && out_.is_empty() && err_.is_empty();
}

}  // namespace gondwana::launch
