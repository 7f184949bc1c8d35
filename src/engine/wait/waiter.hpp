// All waits of a rank: for barriers, words, events, locks and space in queues.
//
// A waiting rank receives messages and makes network progress. It spins, then yields, and finally
// sleeps on one of its two doorbells or on the network.
#pragma once

#include <functional>

#include "core/function_ref.hpp"
#include "core/types.hpp"
#include "engine/am/messages.hpp"
#include "engine/symmetric/symmetric_ranges.hpp"
#include "engine/wait/losses.hpp"
#include "engine/wait/network_progress.hpp"
#include "engine/wait/poll_backoff.hpp"
#include "engine/wait/wait_policy.hpp"
#include "engine/wait/worker.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

class LongWait;

// The reason of a wait, as tools show it, and the events that may end it.
struct WaitReason {
  CallName call;
  std::uint32_t peer = Waiting::any_rank;
  std::uint32_t team = Waiting::no_team;  // team of a collective
  bool on_program_memory = false;         // puts ring the bell, stores through pointers do not
  const void* word = nullptr;             // the only word that matters; null: any word
  const void* place = nullptr;            // the lock or word that tools name; null: `word`
  bool on_network = false;                // the network delivers the event to this rank
  bool on_messages = false;               // usually a handler ends it
  bool ends_with_node = false;            // the loss of the peer's node ends it
  bool is_timed = false;                  // it has a time limit, or an event without a bell ends it
};

// For a wait whose condition tools do not show.
struct NothingAwaited {
  Awaited operator()() const { return {}; }
};

class Waiter {
 public:
  // Reports a lost peer that no other check finds.
  using PeerCheck = std::function<void()>;

  // `network`: null in a job on one node. `check_peers`: called periodically during a long wait;
  // may be empty.
  Waiter(const NodeMemory& memory, const SymmetricRanges& symmetric, Rank me, Workers& workers,
         Messages& messages, NetworkProgress* network, PeerCheck check_peers);
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Waits until done() holds. Earlier stores of peers are then visible. In a long wait, tell()
  // returns the Awaited that tools show. Throws HopelessWait if the death of a rank prevents it.
  template <typename Done, typename Tell = NothingAwaited>
  void until(const WaitReason& why, const Done& done, const Tell& tell = {});

  // The same for a limited time, which may be exceeded by a millisecond. Returns whether done()
  // holds.
  bool within(std::chrono::nanoseconds limit, const WaitReason& why, FunctionRef<bool()> done);
  // For conditions that a peer's store to this rank's memory fulfills.
  template <typename Done, typename Tell = NothingAwaited>
  void on_memory(CallName call, const Done& done, std::uint32_t peer = Waiting::any_rank,
                 const void* place = nullptr, const Tell& tell = {}) {
    until({.call = call, .peer = peer, .on_program_memory = true, .place = place}, done, tell);
  }
  // For conditions that only a store to this word, symmetric or not, fulfills.
  template <typename Done, typename Tell>
  void on_word(CallName call, const void* word, const Done& done, const Tell& tell) {
    until({.call = call, .on_program_memory = true, .word = word}, done, tell);
  }
  // For words that doors keep in shared memory. Their writers call wake().
  template <typename Done>
  void on_words(CallName call, const Done& done, std::uint32_t peer = Waiting::any_rank) {
    until({.call = call, .peer = peer}, done);
  }
  // Wakes a rank of this node that may sleep on these words.
  void wake(Rank rank) const { memory_->page(rank).sync_bell.ring_if_asleep(); }

  // Opens a message to a full queue: waits for space, and receives messages meanwhile.
  Draft wait_and_open(CallName call, Rank to, MessageClass message_class, Payload payload);

  Losses& losses() { return losses_; }

  // For a call that polls without waiting. It may poll for a reply to an operation in flight.
  void make_progress() {
    move_network();
    receive();
  }
  // Returns the number of handlers that ran.
  std::uint32_t receive_messages() {
    move_network();
    return receive();
  }

  // Calls that poll without waiting report their results to it.
  PollBackoff& polls() { return workers_.mine().polls; }

  // For a thread that has armed the bell of its rank. Misses no message of the node.
  std::uint32_t receive_all_messages() { return messages_.poll_all(); }

  // Hides this thread's wait from tools during its lifetime, because the thread runs a handler.
  class Busy {
   public:
    explicit Busy(Waiter& waiter) : Busy(waiter.workers_.mine().thread_slot->waiting) {}
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    // Restarts the wait with another start time, so that an observer notices the change.
    ~Busy() {
      if (since_ns_ != 0) waiting_.since_ns.store(since_ns_ + 1, std::memory_order_release);
    }

   private:
    explicit Busy(Waiting& waiting)
        : waiting_(waiting), since_ns_(waiting.since_ns.load(std::memory_order_relaxed)) {
      if (since_ns_ != 0) waiting_.end();
    }

    Waiting& waiting_;
    std::uint64_t since_ns_;
  };

 private:
  friend class LongWait;

  void move_network() {
    if (network_ != nullptr) [[unlikely]]
      network_->progress();
  }
  std::uint32_t receive() {
    if (!messages_.may_poll()) [[likely]]
      return 0;
    return messages_.poll();
  }
  // A network poll takes system calls, and the awaited peer may need this processor. So a rank that
  // waits for another event polls the network rarely, and even more rarely if nothing is known to
  // be in flight.
  bool polls_network(const WaitReason& why, std::uint32_t polled) const {
    const std::uint32_t poll_interval = is_network_busy() ? 8 : 64;
    return why.on_network || why.on_messages || polled % poll_interval == poll_interval - 1;
  }
  bool is_network_busy() const { return messages_.may_poll() || network_->needs_calls(); }
  // Whether active messages arrive only over the network: this rank shares memory with no other
  // rank, and has no other waiting thread.
  bool hears_by_network() const {
    return network_ != nullptr && memory_->roster().here().size() == 1 &&
           workers_.threads() != Threads::many && messages_.may_poll();
  }
  bool sleep_on_network(std::chrono::microseconds limit);
  template <typename Done>
  bool spin(const WaitReason& why, const Done& done, std::uint32_t from, std::uint32_t to);
  void wait_longer(const WaitReason& why, FunctionRef<bool()> done, const Awaited& awaited);
  void step(LongWait& wait, const WaitReason& why, FunctionRef<bool()> done) const;
  bool is_hopeless(const WaitReason& why, std::uint32_t deaths) const;
  Watch watch_on(const void* word) const;

  const NodeMemory* memory_;
  SymmetricRanges symmetric_;
  Rank me_;
  Workers& workers_;
  Messages& messages_;
  NetworkProgress* network_;
  PeerCheck check_peers_;
  Losses losses_;
};

// Returns whether the condition holds.
template <typename Done>
bool Waiter::spin(const WaitReason& why, const Done& done, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t i = from; i < to; ++i) {
    if (done()) return true;
    if (network_ != nullptr && polls_network(why, i)) [[unlikely]]
      network_->progress();
    receive();
    if (i >= WaitPolicy::eager_spins) relax();
  }
  return false;
}

template <typename Done, typename Tell>
void Waiter::until(const WaitReason& why, const Done& done, const Tell& tell) {
  const std::uint32_t spins = why.on_network ? 1 : workers_.mine().wait_policy.untraced_spins();
  if (!spin(why, done, 0, spins)) wait_longer(why, done, tell());
}

}  // namespace gondwana
