#include "run/node/ending.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace gondwana::launch {
namespace {

constexpr std::uint64_t sweep_every_ns = 10'000'000;
// A process in an uninterruptible system call cannot be killed: do not wait for it forever.
constexpr std::uint64_t give_up_after_ns = 3'000'000'000;
constexpr std::uint64_t max_late_ns = 500'000'000;
constexpr std::uint64_t max_respite_ns = 60'000'000'000;
constexpr std::uint64_t end_check_ns = 100'000'000;

}  // namespace

Respite::Respite(std::uint64_t grace_ns, std::uint64_t now)
    : grace_ns_(grace_ns), end_ns_(now + max_respite_ns) {}

void Respite::begin(const ProcessorUse& use) {
  if (!max_used_ns_) max_used_ns_ = use.used_ns + grace_ns_;
}

bool Respite::lasts(const ProcessorUse& use, std::uint64_t now) {
  begin(use);
  return use.any_runs && use.used_ns < *max_used_ns_ && now < end_ns_;
}

void Ending::ask(std::uint64_t grace_ns, std::uint64_t now) {
  if (asked_ || state_ == State::killing || is_over()) return;
  asked_ = true;
  later_.reset();
  respite_.reset();
  signals_ = {SIGTERM, SIGCONT};  // a stopped process cannot handle the first
  kill_in(grace_ns, now);
}

void Ending::ask_later(std::uint64_t pause_ns, std::uint64_t grace_ns, std::uint64_t now) {
  if (state_ != State::idle) return;
  later_ = Later{now + pause_ns, grace_ns};
  respite_.emplace(pause_ns, now);
  kill_in(max_respite_ns + pause_ns + grace_ns, now);
}

void Ending::wait_at_most(std::uint64_t grace_ns, std::uint64_t now) {
  if (state_ == State::idle) respite_.emplace(grace_ns, now);
  kill_in(grace_ns, now);
}

void Ending::kill_in(std::uint64_t grace_ns, std::uint64_t now) {
  if (state_ != State::idle && state_ != State::asked) return;
  const std::uint64_t limit = now + grace_ns;
  if (state_ == State::idle || limit < kill_at_ns_) {
    kill_at_ns_ = limit;
    decided_at_ns_ = now;
  }
  state_ = State::asked;
}

void Ending::begin_grace(std::uint64_t now) {
  if (!decided_at_ns_) return;
  const std::uint64_t late = now - *std::exchange(decided_at_ns_, std::nullopt);
  kill_at_ns_ += late;
  if (later_) later_->at_ns += late;
}

void Ending::kill(std::uint64_t now) {
  if (state_ == State::killing || is_over()) return;
  state_ = State::killing;
  sweep_at_ns_ = now;
  give_up_at_ns_ = now + give_up_after_ns;
  respite_.emplace(max_respite_ns, now);
}

std::vector<int> Ending::step(const DescendantsSeen& seen, std::uint64_t now) {
  if (state_ == State::idle || is_over()) return {};
  if (!seen.any) {
    state_ = State::gone;
    return {};
  }
  if (next_ns().value_or(now + 1) > now) return {};
  begin_grace(now);
  if (later_ && now >= later_->at_ns) {
    if (respite_->lasts(seen.use, now))
      later_->at_ns = now + end_check_ns;
    else
      ask(later_->grace_ns, now);
  }
  if (state_ == State::asked && now >= kill_at_ns_) {
    if (respite_ && respite_->lasts(seen.use, now))
      kill_at_ns_ = now + end_check_ns;
    else
      kill(now);
  }
  if (respite_) respite_->begin(seen.use);
  if (state_ == State::killing && now >= sweep_at_ns_) sweep(seen, now);
  return std::exchange(signals_, {});
}

void Ending::sweep(const DescendantsSeen& seen, std::uint64_t now) {
  // This process was stopped or busy. It may not have sent SIGKILL or reaped anything meanwhile.
  if (now > sweep_at_ns_ + max_late_ns) give_up_at_ns_ += now - sweep_at_ns_;
  if (now >= give_up_at_ns_ && !respite_->lasts(seen.use, now)) {
    state_ = State::given_up;
    return;
  }
  // While some processes end, the others are expected to end too.
  if (seen.count < left_) give_up_at_ns_ = now + give_up_after_ns;
  left_ = seen.count;
  sweep_at_ns_ = now + sweep_every_ns;
  signals_.push_back(SIGKILL);
}

std::optional<std::uint64_t> Ending::next_ns() const {
  if (state_ == State::idle || is_over()) return std::nullopt;
  if (!signals_.empty() || (respite_ && !respite_->has_begun())) return 0;
  if (state_ == State::asked) return later_ ? later_->at_ns : kill_at_ns_;
  return sweep_at_ns_;
}

}  // namespace gondwana::launch
