#include "engine/wait/long_wait.hpp"

#include "core/machine.hpp"
#include "engine/wait/wait_companion.hpp"

namespace gondwana {
namespace {

// The longest sleep without a wake-up. Network data does not ring the bell on which a rank sleeps
// for another event. So the first sleeps are short, and later a waiting rank polls a thousand times
// a second.
std::chrono::microseconds longest_sleep(std::uint32_t sleeps_before, bool is_network_busy) {
  constexpr std::chrono::microseconds most{1000};
  constexpr std::chrono::microseconds first{60};
  constexpr std::uint32_t doublings = 4;
  return is_network_busy && sleeps_before <= doublings ? first * (1 << sleeps_before) : most;
}

// Exists while the thread sleeps.
class Away {
 public:
  explicit Away(WaitCompanion* companion) : companion_(companion) {
    if (companion_ != nullptr) companion_->leave();
  }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
  ~Away() {
    if (companion_ != nullptr) companion_->come_back();
  }

 private:
  WaitCompanion* companion_;
};

// The longest sleep of a rank that checks whether its peers are alive.
constexpr std::chrono::milliseconds peer_check_interval{500};

}  // namespace

ShownWait::ShownWait(Waiting& waiting, const WaitReason& why, const Awaited& awaited)
    : waiting_(waiting.since_ns.load(std::memory_order_relaxed) == 0 ? &waiting : nullptr) {
  if (waiting_ == nullptr) return;
  waiting_->begin(why.call, why.peer, why.team, monotonic_ns(),
                  why.place != nullptr ? why.place : why.word, awaited);
}

LongWait::LongWait(Waiter& waiter, const WaitReason& why)
    : waiter_(waiter),
      why_(why),
      worker_(waiter.workers_.mine()),
      bell_(why.on_program_memory ? waiter.memory_->data_bell(waiter.me_)
                                  : waiter.memory_->page(waiter.me_).sync_bell),
      watch_(waiter.watch_on(why.word)),
      sleeps_on_network_(why.on_network || ((why.on_messages || !why.on_program_memory) &&
                                            waiter.hears_by_network())) {}

void LongWait::step() {
  if (poll()) return begin_again();
  yields_.slow_since_ns = 0;  // nothing has arrived in the meantime
  switch (phase_) {
    case Phase::spin:
      return spin();
    case Phase::yield:
      return yield();
    case Phase::sleep:
      return sleep();
  }
}

void LongWait::end() {
  worker_.wait_policy.end(yields_, came_late());
}

// Returns true if something arrived. In the spin phase it may miss messages of concurrent senders.
bool LongWait::poll() {
  Messages& messages = waiter_.messages_;
  bool is_active = false;
  if (messages.may_poll())
    is_active = (phase_ == Phase::spin ? messages.poll() : messages.poll_all()) > 0;
  if (waiter_.network_ != nullptr && waiter_.polls_network(why_, polls_++))
    is_active |= waiter_.network_->progress();
  return is_active;
}

// A network poll takes as long as a yield, so a rank that waits for the network only yields.
void LongWait::begin_again() {
  worker_.wait_policy.end(yields_, came_late());
  phase_ = why_.on_network ? Phase::yield : Phase::spin;
  spins_ = 0;
  sleeps_ = 0;
  armed_.reset();
}

void LongWait::spin() {
  if (spins_ >= WaitPolicy::eager_spins) relax();
  if (++spins_ >= worker_.wait_policy.spins()) phase_ = Phase::yield;
}

void LongWait::yield() {
  if (WaitCompanion* companion = WaitCompanion::present()) companion->step();
  if (worker_.wait_policy.yield_once(yields_)) return;
  worker_.wait_policy.end(yields_, false);
  phase_ = Phase::sleep;
  sleep();
}

// Whether this rank could have ended its wait long before its last yield returned. Peers that began
// to wait during that yield wait for this rank. If a peer on this processor arrived last, it has
// only just begun to wait.
bool LongWait::came_late() const {
  if (yields_.slow_since_ns == 0) return false;
  const std::uint64_t margin = worker_.wait_policy.slow_ns() / 2;
  const std::uint64_t now = monotonic_ns();
  bool has_peer_just_come = false;
  for (const Rank peer : waiter_.memory_->roster().here()) {
    const Waiting* wait =
        peer != waiter_.me_ ? waiter_.memory_->threads(peer).longest_wait() : nullptr;
    if (wait == nullptr) continue;
    const std::uint64_t begin_ns = wait->since_ns.load(std::memory_order_relaxed);
    if (begin_ns + margin > now)
      has_peer_just_come = true;
    else if (begin_ns > yields_.slow_since_ns + margin)
      return true;
  }
  return !has_peer_just_come;
}

// A rank sleeps on one of its two bells: the one for memory, or the one for sync words. The caller
// polls once more after the bell is armed.
void LongWait::sleep() {
  if (!sleeps_on_network_ && !armed_) {
    armed_ = bell_.arm(watch_);
    return;
  }
  const ShownWait shown(worker_.thread_slot->waiting, why_);
  worker_.thread_slot->counters.add(Count::sleeps);
  const bool may_come =
      waiter_.network_ != nullptr && (sleeps_on_network_ || waiter_.is_network_busy());
  const std::chrono::microseconds limit = longest_sleep(sleeps_++, may_come);
  if (may_come && waiter_.network_->progress()) return begin_again();
  WaitCompanion* const companion = WaitCompanion::present();
  if (companion != nullptr) companion->step();
  bool has_come = false;
  {
    const Away away(companion);
    if (sleeps_on_network_)
      has_come = waiter_.sleep_on_network(limit);
    else
      bell_.sleep(*armed_, timeout(limit));
  }
  if (has_come) begin_again();
  armed_.reset();
  if (waiter_.check_peers_) waiter_.check_peers_();
}

// Stores through pointers and network data ring no bell, so a sleep that they may end has a
// timeout.
Timeout LongWait::timeout(std::chrono::microseconds limit) const {
  if (why_.on_program_memory || why_.is_timed || waiter_.network_ != nullptr) return limit;
  WaitCompanion* const companion = WaitCompanion::present();
  if (companion != nullptr && companion->needs_steps()) return limit;
  return waiter_.check_peers_ ? Timeout{peer_check_interval} : Timeout{};
}

}  // namespace gondwana
