// Polling, waiting and locks. GASNet-EX 0.19 and GASNet-1.8, Polling, Handler-safe locks.
#include "front/gasnet/progress.hpp"

#include <optional>

#include "engine/wait/long_wait.hpp"
#include "front/gasnet/context.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "front/gasnet/quiet_polls.hpp"
#include "gasnet/progress.h"
#include "gasnet/system.h"
#include "process/leave.hpp"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

namespace {

// The mode that the client chose. -1: the library chooses.
constinit std::atomic<int> wait_mode{-1};

// A client that wants to block yields after this many polls, even if it is not oversubscribed.
constexpr std::uint32_t blocking_polls = 64;

// The holder of a lock is a thread of this process. It may need this processor even if every rank
// has its own.
[[gnu::tls_model("initial-exec")]] constinit thread_local gondwana::PollBackoff lock_polls =
    gondwana::PollBackoff::after(200);

std::atomic_ref<std::uint32_t> state(gex_HSL_t* lock) {
  return std::atomic_ref(lock->gondwana_state);
}

// A lock holder never blocks, so it releases the lock soon after it gets a processor.
void wait_for(gex_HSL_t* lock) {
  while (gex_HSL_Trylock(lock) != GASNET_OK) gondwana::relax();
}

}  // namespace

namespace gondwana::gasnet {

[[gnu::tls_model("initial-exec")]] constinit thread_local QuietPolls quiet_polls;

void Progress::start(std::shared_ptr<Operation> operation) {
  quiet_polls.end();
  const std::scoped_lock lock(mutex_);
  operations_.push_back(std::move(operation));
  waiting_.store(static_cast<std::uint32_t>(operations_.size()), std::memory_order_relaxed);
  // Another thread that sleeps in a barrier must now advance this operation.
  if (setup_.has_threads) setup_.waiter.wake(setup_.rank);
}

std::uint32_t Progress::poll() {
  const std::uint32_t received = setup_.waiter.receive_messages();
  move_operations();
  return received;
}

void Progress::poll_for_all() {
  for (std::size_t polls = 0; polls < setup_.neighbors && poll() > 0; ++polls) continue;
}

void Progress::poll_in_loop() {
  check_for_end();
  const bool is_idle =
      setup_.network == nullptr || quiet_polls.is_idle(setup_.network->needs_calls());
  const bool is_long = setup_.waiter.polls().is_long() && is_idle && setup_.has_quiet_polls &&
                       setup_.messages.may_poll();
  if (!is_long) return note_poll(poll() > 0);
  const std::uint32_t polls = 1 + quiet_polls.arm(setup_.bell);
  const bool moved = setup_.network != nullptr && setup_.network->progress();
  const bool found = setup_.waiter.receive_all_messages() > 0;
  move_operations();
  if (!found && !moved && !has_operations()) quiet_polls.allow(end_of_quiet());
  note_poll(found, polls);
}

// A poll of the network takes a system call, a hundred times as long as a poll of the node.
std::uint64_t Progress::end_of_quiet() {
  constexpr std::uint64_t longest_quiet_ns = 3'000;
  if (setup_.network == nullptr) return QuietPolls::never;
  std::uint64_t length = quiet_ticks_.load(std::memory_order_relaxed);
  if (length == 0) {
    const ClockPair now = read_clocks();
    const double ticks_per_ns =
        static_cast<double>(now.ticks - begin_.ticks) / static_cast<double>(now.ns - begin_.ns);
    length = static_cast<std::uint64_t>(ticks_per_ns * longest_quiet_ns);
    quiet_ticks_.store(length, std::memory_order_relaxed);
  }
  return ticks() + length;
}

void Progress::move_operations() {
  if (!has_operations()) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // another thread advances them
  bool for_network = false;
  std::erase_if(operations_, [&](const std::shared_ptr<Operation>& operation) {
    if (!operation->advance()) {
      for_network = for_network || operation->waits_for_network();
      return false;
    }
    operation->finish();
    return true;
  });
  wait_for_network_.store(for_network, std::memory_order_relaxed);
  waiting_.store(static_cast<std::uint32_t>(operations_.size()), std::memory_order_relaxed);
}

}  // namespace gondwana::gasnet

int gasnet_AMPoll(void) {
  if (quiet_polls.is_quiet()) return GASNET_OK;
  Door& here = door();
  if (here.checks() && context().handler != nullptr)
    give_up("gasnet_AMPoll", "a handler may not poll");
  if (here.checks() && context().locks > 0)
    give_up("gasnet_AMPoll", "called while holding a handler-safe lock");
  if (wait_mode.load(std::memory_order_relaxed) == GASNET_WAIT_BLOCK) [[unlikely]]
    here.engine().waiter().polls().share(blocking_polls);
  here.progress().poll_in_loop();
  return GASNET_OK;
}

void gondwana_gex_await(unsigned* rounds) {
  [[gnu::tls_model("initial-exec")]] constinit thread_local std::optional<gondwana::LongWait> wait;
  constexpr unsigned long_ago = ~0U;  // the long wait has started
  Door& here = door();
  here.progress().move_operations();
  gondwana::Waiter& waiter = here.engine().waiter();
  if (*rounds != long_ago) {
    if (gondwana::LongWait::keep_spinning(waiter, *rounds)) return;
    *rounds = long_ago;
    wait.emplace(waiter,
                 gondwana::WaitReason{
                     .call = "GASNET_BLOCKUNTIL", .on_program_memory = true, .on_messages = true});
  }
  wait->step();
}

int gasnet_set_waitmode(int mode) {
  if (mode < GASNET_WAIT_SPIN || mode > GASNET_WAIT_SPINBLOCK)
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_set_waitmode",
                  fmt::format("mode {}: expected GASNET_WAIT_SPIN, _BLOCK or _SPINBLOCK", mode));
  wait_mode.store(mode, std::memory_order_relaxed);
  return GASNET_OK;
}

void gex_HSL_Init(gex_HSL_t* hsl) {
  *hsl = GEX_HSL_INITIALIZER;
}

void gex_HSL_Destroy(gex_HSL_t* hsl) {
  if (state(hsl).load(std::memory_order_relaxed) != 0)
    give_up("gex_HSL_Destroy", "the lock is held");
}

int gex_HSL_Trylock(gex_HSL_t* hsl) {
  std::uint32_t free = 0;
  if (state(hsl).load(std::memory_order_relaxed) != 0 ||
      !state(hsl).compare_exchange_strong(free, 1, std::memory_order_acquire)) {  // with Unlock
    lock_polls.failed();
    return GASNET_ERR_NOT_READY;
  }
  lock_polls.found();
  ++context().locks;
  return GASNET_OK;
}

void gex_HSL_Lock(gex_HSL_t* hsl) {
  if (gex_HSL_Trylock(hsl) != GASNET_OK) wait_for(hsl);
}

void gex_HSL_Unlock(gex_HSL_t* hsl) {
  --context().locks;
  state(hsl).store(0, std::memory_order_release);  // pairs with Trylock
}
