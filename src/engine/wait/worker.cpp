#include "engine/wait/worker.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace gondwana {

// Which seats are free. Outlives the engine where a thread does: seats may be given back late.
struct Workers::Room {
  std::mutex mutex;   // guards all of this
  ControlPage* page;  // null once the engine is gone
  std::vector<Seat*> free;
  std::uint32_t used = 1;  // seats from here on were never taken

  explicit Room(ControlPage& control) : page(&control) {}

  Seat* take() {
    const std::scoped_lock lock(mutex);
    if (page == nullptr) return nullptr;
    if (!free.empty()) {
      Seat* seat = free.back();
      free.pop_back();
      return seat;
    }
    if (used == ControlPage::max_seats) return nullptr;
    Seat* seat = &page->seats[used++];
    page->seats_used.store(std::max(page->seats_used.load(std::memory_order_relaxed), used),
                           std::memory_order_relaxed);
    return seat;
  }

  void give_back(Seat* seat) {
    const std::scoped_lock lock(mutex);
    if (page != nullptr) free.push_back(seat);
  }
};

// One thread in one engine. A thread that finds no seat left counts where nobody looks.
struct Workers::Membership {
  Membership(std::shared_ptr<Room> of, Loan loaned, const Worker& like)
      : room(std::move(of)),
        loan(std::move(loaned)),
        worker{loan ? loan.seat() : &unseen, like.patience, like.polls} {}

  Seat unseen{};
  std::shared_ptr<Room> room;
  Loan loan;
  Worker worker;
};

namespace {

// The membership that this thread used last, to be found in two loads.
struct Latest {
  const void* room;
  Worker* worker;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Latest latest{};

}  // namespace

Workers::Loan::Loan(std::shared_ptr<Room> room, Seat* seat) : room_(std::move(room)), seat_(seat) {}

Workers::Loan::Loan(Loan&& other) noexcept
    : room_(std::move(other.room_)), seat_(std::exchange(other.seat_, nullptr)) {}

Workers::Loan& Workers::Loan::operator=(Loan&& other) noexcept {
  std::swap(room_, other.room_);
  std::swap(seat_, other.seat_);
  return *this;
}

Workers::Loan::~Loan() {
  if (seat_ != nullptr) room_->give_back(seat_);
}

Workers::Workers(ControlPage& page, const Patience& patience, Threads threads)
    : threads_(threads), first_{page.seats.data(), patience}, room_(std::make_shared<Room>(page)) {
  if (page.seats_used.load(std::memory_order_relaxed) == 0)
    page.seats_used.store(1, std::memory_order_relaxed);
}

Workers::~Workers() {
  const std::scoped_lock lock(room_->mutex);
  room_->page = nullptr;
}

Workers::Loan Workers::take_seat() {
  Seat* seat = room_->take();
  return seat != nullptr ? Loan(room_, seat) : Loan();
}

Worker& Workers::mine_among_many() {
  if (latest.room == room_.get()) [[likely]]
    return *latest.worker;
  return join_in();
}

// A room is not freed as long as a thread remembers it, so its address means no other one.
Worker& Workers::join_in() {
  // Freed when the thread ends. Exit handlers run after that, and may call in: what they find then
  // lives to the end of the process.
  constinit static thread_local std::vector<std::unique_ptr<Membership>>* memberships = nullptr;
  struct Guard {
    ~Guard() {
      latest = {};
      delete std::exchange(memberships, nullptr);
    }
  };
  static thread_local const Guard guard;
  if (memberships == nullptr) memberships = new std::vector<std::unique_ptr<Membership>>;
  auto known = std::ranges::find_if(
      *memberships, [this](const auto& membership) { return membership->room == room_; });
  if (known == memberships->end()) {
    memberships->push_back(std::make_unique<Membership>(room_, take_seat(), first_));
    known = memberships->end() - 1;
  }
  latest = {room_.get(), &(*known)->worker};
  return *latest.worker;
}

}  // namespace gondwana
