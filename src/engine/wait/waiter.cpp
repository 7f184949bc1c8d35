#include "engine/wait/waiter.hpp"

#include <algorithm>
#include <utility>

#include "core/machine.hpp"

namespace gondwana {
namespace {

// The longest sleep that nobody ends. What comes over a network rings no bell of a rank that sleeps
// on another thing. So the first sleeps are short, and a rank that waits for long looks a thousand
// times a second.
std::chrono::microseconds longest_sleep(std::uint32_t sleeps_before, bool is_network_busy) {
  constexpr std::chrono::microseconds most{1000};
  constexpr std::chrono::microseconds first{60};
  constexpr std::uint32_t doublings = 4;
  return is_network_busy && sleeps_before <= doublings ? first * (1 << sleeps_before) : most;
}

// The longest sleep of a rank that looks after its neighbors.
constexpr std::chrono::milliseconds between_looks_around{500};

}  // namespace

Waiter::Waiter(const NodeMemory& memory, const SymmetricRanges& symmetric, Rank me,
               Workers& workers, Messages& messages, NetworkProgress* network,
               LookAround look_around)
    : memory_(&memory),
      symmetric_(symmetric),
      me_(me),
      workers_(workers),
      messages_(messages),
      network_(network),
      look_around_(std::move(look_around)) {}

// A word lies in the arena of this rank, or in globals that are laid there too.
Watch Waiter::watch_on(const void* word) const {
  const std::size_t distance = reinterpret_cast<std::uintptr_t>(word) -
                               reinterpret_cast<std::uintptr_t>(memory_->window(me_));
  if (distance < memory_->plan().arena_size()) return Watch::at(distance);
  const std::size_t offset = symmetric_.offset_of(word, 1);
  return offset != SymmetricRanges::nowhere ? Watch::at(offset) : Watch();
}

// True: something came before the time was over.
bool Waiter::sleep_on_network(std::chrono::microseconds limit) {
  const std::uint64_t since = monotonic_ns();
  network_->sleep(limit);
  return std::chrono::nanoseconds(monotonic_ns() - since) < limit;
}

// A rank sleeps on one of its two bells: that of the memory, or that of the words, it waits for.
// Stores through pointers and over a network ring none, so sleeps that they may end are timed.
// Messages and bytes from the network arrive in bursts: a rank that slept between two of them would
// take longer to wake up than to wait. So it starts to look and to yield anew.
void Waiter::wait_longer(const WaitReason& why, FunctionRef<bool()> done) {
  std::uint32_t looks = 0;
  bool stirred = false;  // something came, and more may follow
  bool finished = false;
  const auto look = [&](std::uint32_t received) {
    stirred |= received > 0;
    if (network_ != nullptr && looks_at_network(why, looks++)) stirred |= network_->progress();
    finished = done();
    return finished || stirred;
  };
  const auto glance = [&] { return look(receive()); };
  const auto look_surely = [&] { return look(messages_.may_poll() ? messages_.poll_all() : 0); };
  Worker& worker = workers_.mine();
  CounterBlock& counters = worker.thread_slot->counters;
  worker.thread_slot->waiting.begin(why.call, why.peer, why.team, monotonic_ns());
  counters.add(Count::waits);
  Doorbell<RealAtomics>& bell =
      why.on_program_memory ? memory_->data_bell(me_) : memory_->page(me_).sync_bell;
  const bool timed = why.on_program_memory || network_ != nullptr;
  const bool on_network = why.on_network || (!why.on_program_memory && hears_by_network());
  const Watch watch = watch_on(why.word);
  const Timeout longest_untimed = look_around_ ? Timeout{between_looks_around} : Timeout{};
  std::uint32_t sleeps = 0;
  const auto sleep = [&] {
    const bool may_come = network_ != nullptr && (on_network || is_network_busy());
    const std::chrono::microseconds look_again = longest_sleep(sleeps++, may_come);
    stirred = may_come && network_->progress();
    if (on_network) {
      stirred |= sleep_on_network(look_again);
      look_surely();
    } else {
      bell.sleep_until(look_surely, timed ? Timeout{look_again} : longest_untimed, watch);
    }
    if (look_around_ && !finished) look_around_();
  };
  // A look at the network takes as long as a yield: a rank that waits for the network only yields.
  const auto stay_awake = [&] {
    while (stirred && !finished) {
      stirred = false;
      sleeps = 0;
      if (why.on_network || !worker.wait_policy.spin_until(glance))
        worker.wait_policy.yield_until(look_surely);
    }
  };
  worker.wait_policy.yield_until(look_surely);
  stay_awake();
  while (!finished) {
    counters.add(Count::sleeps);
    sleep();
    stay_awake();
  }
  worker.thread_slot->waiting.end();
}

bool Waiter::pause(CallName call, Pause& so_far) {
  bool stirred = network_ != nullptr && network_->progress();
  if (messages_.may_poll()) stirred |= (so_far.armed ? messages_.poll_all() : messages_.poll()) > 0;
  if (stirred) {
    so_far = {};
    return true;
  }
  Worker& worker = workers_.mine();
  if (++so_far.rounds < worker.wait_policy.spins()) {
    if (so_far.rounds >= WaitPolicy::eager_spins) relax();
    return false;
  }
  Doorbell<RealAtomics>& bell = memory_->data_bell(me_);
  if (so_far.armed) {
    worker.thread_slot->waiting.begin(call, Waiting::anybody, 0, monotonic_ns());
    worker.thread_slot->counters.add(Count::sleeps);
    const std::chrono::microseconds look_again =
        longest_sleep(so_far.sleeps++, network_ != nullptr);
    if (hears_by_network())
      sleep_on_network(look_again);
    else
      bell.sleep(so_far.seen, look_again);
    worker.thread_slot->waiting.end();
    so_far.armed = false;
    return false;
  }
  if (so_far.yields_since == 0) so_far.yields_since = monotonic_ns();
  if (worker.wait_policy.yields_on(so_far.yields_since)) return false;
  so_far.seen = bell.arm();  // the caller looks once more before the sleep
  so_far.armed = true;
  return false;
}

Draft Waiter::wait_and_open(CallName call, Rank to, MessageClass sort, Payload payload) {
  std::optional<Draft> draft;
  const bool is_remote = !memory_->plan().holds(to);
  until({.call = call, .peer = index(to), .on_network = is_remote}, [&] {
    draft = messages_.try_open(to, sort, payload);
    return draft.has_value();
  });
  return *draft;
}

}  // namespace gondwana
