// The threads of a rank: each has a slot in the control page, where it counts and says what it
// waits for, and how patiently it waits and polls. Lanes that one thread at a time uses have slots
// too.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/wait/poll_backoff.hpp"
#include "engine/wait/wait_policy.hpp"
#include "memory/control_page.hpp"

namespace gondwana {

// How the threads of a rank use its engine.
enum class Threads : std::uint8_t { one_at_a_time, many };

// What is a thread's own. Belongs to that thread.
struct Worker {
  ThreadSlot* thread_slot;
  WaitPolicy wait_policy;
  PollBackoff polls{};
};

class Workers {
  struct Pool;

 public:
  // A slot for as long as this lives; none where all are taken.
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

  Workers(ControlPage& page, const WaitPolicy& wait_policy, Threads threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Threads threads() const { return threads_; }
  // From one at a time to many: no thread is in a call of the engine meanwhile.
  void allow_many() { threads_ = Threads::many; }

  // Of this thread, and of those that come later.
  void set_manners(const WaitPolicy& wait_policy, const PollBackoff& polls) {
    first_.wait_policy = wait_policy;
    first_.polls = polls;
  }

  // The calling thread's. With one thread at a time they are all the same worker.
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
