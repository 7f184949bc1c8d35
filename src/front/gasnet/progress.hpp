// Progress while a client polls or waits: messages arrive, and asynchronous operations advance.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/ticks.hpp"
#include "engine/engine.hpp"
#include "front/gasnet/event.hpp"

namespace gondwana::gasnet {

// Thread-safe.
class Progress {
 public:
  struct Setup {
    Waiter& waiter;
    Rank rank;              // the rank of this process
    std::size_t neighbors;  // ranks of the node
    const Messages& messages;
    Doorbell<RealAtomics>& bell;  // of this rank, for messages within the node
    NetworkProgress* network;     // null: the job has one node
    bool has_threads;             // whether several threads call the library
    bool has_quiet_polls;         // false: every poll is thorough
  };

  explicit Progress(const Setup& setup) : setup_(setup) {}

  // Any thread that polls advances the operation until it is complete.
  void start(std::shared_ptr<Operation> operation);
  // Receives messages and advances operations. Returns the number of messages.
  std::uint32_t poll();
  // Polls until nothing is found, at most once for each sender: one poll receives from one sender.
  void poll_for_all();
  // Like poll(), but the next polls may be cheap (quiet_polls.hpp).
  void poll_in_loop();
  // For calls that test without waiting. `found`: the test found what the program may wait for.
  void note_poll(bool found, std::uint32_t polls = 1) {
    if (found)
      setup_.waiter.polls().found();
    else
      setup_.waiter.polls().failed(polls);
  }
  void move_operations();
  bool has_operations() const { return waiting_.load(std::memory_order_relaxed) != 0; }
  // Whether an operation waits for another node.
  bool waits_for_network() const { return wait_for_network_.load(std::memory_order_relaxed); }
  // Waits until done() holds. The caller polls first and sleeps later.
  template <typename Done>
  void wait(CallName call, const Done& done) {
    for (bool is_done = false; !is_done;) {
      const bool on_network = waits_for_network();
      const WaitReason why{.call = call, .on_program_memory = true, .on_network = on_network};
      setup_.waiter.until(why, [&] {
        is_done = done();
        if (is_done) return true;
        move_operations();
        is_done = done();
        return is_done || waits_for_network() != on_network;
      });
    }
  }

 private:
  std::uint64_t end_of_quiet();

  Setup setup_;
  ClockPair begin_ = read_clocks();
  std::atomic<std::uint64_t> quiet_ticks_{0};  // longest_quiet_ns; 0: not known yet
  std::atomic<std::uint32_t> waiting_{0};      // number of operations
  std::atomic<bool> wait_for_network_{false};
  std::mutex mutex_;  // held by the thread that advances operations
  std::vector<std::shared_ptr<Operation>> operations_;
};

}  // namespace gondwana::gasnet
