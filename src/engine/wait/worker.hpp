// The threads of a rank: each has a seat in the control page, where it counts and says what it
// waits for, and how patiently it waits and polls. Lanes that one thread at a time uses have seats
// too.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/wait/patience.hpp"
#include "engine/wait/poll_backoff.hpp"
#include "memory/control_page.hpp"

namespace gondwana {

// How the threads of a rank use its engine.
enum class Threads : std::uint8_t { one_at_a_time, many };

// What is a thread's own. Belongs to that thread.
struct Worker {
  Seat* seat;
  Patience patience;
  PollBackoff polls{};
};

class Workers {
  struct Room;

 public:
  // A seat for as long as this lives; none where all are taken.
  class Loan {
   public:
    Loan() = default;
    ~Loan();
    Loan(Loan&& other) noexcept;
    Loan& operator=(Loan&& other) noexcept;

    Seat* seat() const { return seat_; }
    explicit operator bool() const { return seat_ != nullptr; }

   private:
    friend class Workers;
    Loan(std::shared_ptr<Room> room, Seat* seat);

    std::shared_ptr<Room> room_;
    Seat* seat_ = nullptr;
  };

  Workers(ControlPage& page, const Patience& patience, Threads threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Threads threads() const { return threads_; }
  // From one at a time to many: no thread is in a call of the engine meanwhile.
  void allow_many() { threads_ = Threads::many; }

  // Of this thread, and of those that come later.
  void set_manners(const Patience& patience, const PollBackoff& polls) {
    first_.patience = patience;
    first_.polls = polls;
  }

  // The calling thread's. With one thread at a time they are all the same worker.
  Worker& mine() { return threads_ == Threads::one_at_a_time ? first_ : mine_among_many(); }

  Loan take_seat();

 private:
  struct Membership;

  Worker& mine_among_many();
  Worker& join_in();

  Threads threads_;
  Worker first_;
  std::shared_ptr<Room> room_;
};

}  // namespace gondwana
