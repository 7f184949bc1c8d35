// The threads of a rank. Each has a slot in control memory, with its counters and the description
// of its wait. Each also has its own wait policy and poll backoff. Exclusive lanes have slots too.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/wait/poll_backoff.hpp"
#include "engine/wait/wait_policy.hpp"
#include "memory/control_page.hpp"

namespace gondwana {

// How the threads of a rank use its engine.
enum class Threads : std::uint8_t { one_at_a_time, many };

// The state of a thread, which only that thread uses.
struct Worker {
  ThreadSlot* thread_slot;
  WaitPolicy wait_policy;
  PollBackoff polls{};
};

class Workers {
  struct Pool;

 public:
  // A slot for the lifetime of the lease; no slot if all are taken.
  class Lease {
   public:
    Lease() = default;
    ~Lease();
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;

    ThreadSlot* thread_slot() const { return thread_slot_; }
    explicit operator bool() const { return thread_slot_ != nullptr; }

   private:
    friend class Workers;
    Lease(std::shared_ptr<Pool> pool, ThreadSlot* thread_slot);

    std::shared_ptr<Pool> pool_;
    ThreadSlot* thread_slot_ = nullptr;
  };

  Workers(ThreadSlots& slots, const WaitPolicy& wait_policy, Threads threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Threads threads() const { return threads_; }
  // Changes from one thread at a time to many. No thread may be in a call of the engine meanwhile.
  void allow_many() { threads_ = Threads::many; }

  // Applies to this thread, and to threads that join later.
  void set_policy(const WaitPolicy& wait_policy, const PollBackoff& polls) {
    first_.wait_policy = wait_policy;
    first_.polls = polls;
  }

  // The calling thread's worker. With one thread at a time, all threads share one.
  Worker& mine() { return threads_ == Threads::one_at_a_time ? first_ : mine_among_many(); }

  Lease take_thread_slot();

 private:
  struct Membership;

  Worker& mine_among_many();
  Worker& join_in();

  Threads threads_;
  Worker first_;
  std::shared_ptr<Pool> pool_;
};

}  // namespace gondwana
