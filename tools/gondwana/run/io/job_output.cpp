#include "run/io/job_output.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

// An unfinished line on a terminal counts as a prompt after this time without more output.
constexpr std::uint64_t prompt_after_ns = 200'000'000;
// Output is fast if two pieces arrive within this time. The next piece is read after a pause.
constexpr std::uint64_t fast_ns = 2'000'000;
constexpr std::uint64_t rest_ns = 1'000'000;

}  // namespace

Result<void> JobOutput::add(std::uint32_t rank, Standard which, UniqueFd pipe) {
  forwarders_.push_back(std::make_unique<LineForwarder>(std::move(pipe), rank, which, *sink_));
  return watch(*forwarders_.back());
}

Result<void> JobOutput::watch(LineForwarder& forwarder) {
  return poller_->watch(forwarder.fd(), EPOLLIN, [this, &forwarder] { on_readable(forwarder); });
}

void JobOutput::on_readable(LineForwarder& forwarder) {
  if (!forwarder.is_open()) return;
  if (!forwarder.may_take()) {
    // A closed pipe is always ready: without this the loop would spin.
    poller_->forget(forwarder.fd());
    paused_.push_back(&forwarder);
    return;
  }
  const std::uint64_t before_ns = forwarder.taken_ns();
  if (forwarder.take() != LineForwarder::Outcome::closed) {
    if (forwarder.taken_ns() < before_ns + fast_ns) rest(forwarder);
    return;
  }
  poller_->forget(forwarder.fd());
  close(forwarder);
}

void JobOutput::close(LineForwarder& forwarder) {
  forwarder.close();
  has_closed_ = true;
}

// A rank that prints fast writes each line separately. While the guardian does not poll the pipe,
// lines gather there and no write wakes it.
void JobOutput::rest(LineForwarder& forwarder) {
  poller_->forget(forwarder.fd());
  if (resting_.empty()) rest_ends_ns_ = forwarder.taken_ns() + rest_ns;
  resting_.push_back(&forwarder);
}

void JobOutput::resume() {
  if (!resting_.empty() && monotonic_ns() >= rest_ends_ns_) {
    paused_.insert(paused_.end(), resting_.begin(), resting_.end());
    resting_.clear();
  }
  const auto stay = std::partition(paused_.begin(), paused_.end(),
                                   [](const LineForwarder* one) { return !one->may_take(); });
  std::for_each(stay, paused_.end(), [this](LineForwarder* one) {
    if (one->is_open() && !watch(*one)) close(*one);
  });
  paused_.erase(stay, paused_.end());
}

void JobOutput::step() {
  if (shows_prompts()) {
    const std::uint64_t now = monotonic_ns();
    for (const auto& forwarder : forwarders_)
      if (forwarder->may_hold_prompt() && now >= forwarder->taken_ns() + prompt_after_ns)
        forwarder->release();
  }
  sink_->flush();
  resume();
  // Ranks that are started again bring new pipes for as long as the job runs.
  if (std::exchange(has_closed_, false))
    std::erase_if(forwarders_, [](const auto& one) { return !one->is_open(); });
}

std::optional<std::uint64_t> JobOutput::next_ns() const {
  std::optional<std::uint64_t> next = sink_->next_ns();
  if (!resting_.empty()) next = std::min(next.value_or(rest_ends_ns_), rest_ends_ns_);
  if (!shows_prompts()) return next;
  for (const auto& forwarder : forwarders_) {
    if (!forwarder->may_hold_prompt()) continue;
    const std::uint64_t due = forwarder->taken_ns() + prompt_after_ns;
    next = std::min(next.value_or(due), due);
  }
  return next;
}

bool JobOutput::shows_prompts() const {
  return sink_->shows_prompts(Standard::output) || sink_->shows_prompts(Standard::error);
}

bool JobOutput::take_all() {
  bool all = true;
  for (const auto& forwarder : forwarders_) {
    if (!forwarder->is_open()) continue;
    poller_->forget(forwarder->fd());
    LineForwarder::Outcome outcome = LineForwarder::Outcome::more;
    while (outcome == LineForwarder::Outcome::more && forwarder->may_take())
      outcome = forwarder->take();
    // A pipe that is empty but not closed belongs to a process outside the job: do not wait for it.
    if (outcome == LineForwarder::Outcome::more)
      all = false;
    else
      forwarder->close();
  }
  return all;
}

// Pipes are no longer polled. Bytes that stayed in them because the sink was full are read as soon
// as the sink has space again or has failed. So the caller waits only for the sink.
bool JobOutput::drain() {
  for (;;) {
    const bool all = take_all();
    sink_->release();
    const bool flushed = sink_->flush();
    const auto can_go_on = [](const auto& one) { return one->is_open() && one->may_take(); };
    if (all || std::ranges::none_of(forwarders_, can_go_on)) return all && flushed;
  }
}

}  // namespace gondwana::launch
