#include "engine/wait/worker.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace gondwana {

// The free slots. The pool outlives the engine if a thread does, because slots may be returned
// late.
struct Workers::Pool {
  std::mutex mutex;    // guards all members
  ThreadSlots* slots;  // null once the engine is gone
  std::vector<ThreadSlot*> free;
  std::uint32_t used = 1;  // slots from here on were never used

  explicit Pool(ThreadSlots& all) : slots(&all) {}

  ThreadSlot* take() {
    const std::scoped_lock lock(mutex);
    if (slots == nullptr) return nullptr;
    if (!free.empty()) {
      ThreadSlot* thread_slot = free.back();
      free.pop_back();
      return thread_slot;
    }
    if (used == ThreadSlots::max_slots) return nullptr;
    ThreadSlot* thread_slot = &slots->slots[used++];
    slots->used.store(std::max(slots->used.load(std::memory_order_relaxed), used),
                      std::memory_order_relaxed);
    return thread_slot;
  }

  void give_back(ThreadSlot* thread_slot) {
    const std::scoped_lock lock(mutex);
    if (slots != nullptr) free.push_back(thread_slot);
  }
};

// One thread in one engine. A thread without a slot counts in `unseen`.
struct Workers::Membership {
  Membership(std::shared_ptr<Pool> of, Lease leased, const Worker& like)
      : pool(std::move(of)),
        lease(std::move(leased)),
        worker{lease ? lease.thread_slot() : &unseen, like.wait_policy, like.polls} {}

  ThreadSlot unseen{};
  std::shared_ptr<Pool> pool;
  Lease lease;
  Worker worker;
};

namespace {

// The membership that this thread used last; two loads find it.
struct Latest {
  const void* pool;
  Worker* worker;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Latest latest{};

}  // namespace

Workers::Lease::Lease(std::shared_ptr<Pool> pool, ThreadSlot* thread_slot)
    : pool_(std::move(pool)), thread_slot_(thread_slot) {}

Workers::Lease::Lease(Lease&& other) noexcept
    : pool_(std::move(other.pool_)), thread_slot_(std::exchange(other.thread_slot_, nullptr)) {}

Workers::Lease& Workers::Lease::operator=(Lease&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(thread_slot_, other.thread_slot_);
  return *this;
}

Workers::Lease::~Lease() {
  if (thread_slot_ != nullptr) pool_->give_back(thread_slot_);
}

Workers::Workers(ThreadSlots& slots, const WaitPolicy& wait_policy, Threads threads)
    : threads_(threads),
      first_{slots.slots.data(), wait_policy},
      pool_(std::make_shared<Pool>(slots)) {
  if (slots.used.load(std::memory_order_relaxed) == 0)
    slots.used.store(1, std::memory_order_relaxed);
}

Workers::~Workers() {
  const std::scoped_lock lock(pool_->mutex);
  pool_->slots = nullptr;
}

Workers::Lease Workers::take_thread_slot() {
  ThreadSlot* thread_slot = pool_->take();
  return thread_slot != nullptr ? Lease(pool_, thread_slot) : Lease();
}

Worker& Workers::mine_among_many() {
  if (latest.pool == pool_.get()) [[likely]]
    return *latest.worker;
  return join_in();
}

// A pool lives as long as a thread refers to it, so its address is unique.
Worker& Workers::join_in() {
  // Freed when the thread ends. Exit handlers run later and may call the library: the memberships
  // that they use live until the end of the process.
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
      *memberships, [this](const auto& membership) { return membership->pool == pool_; });
  if (known == memberships->end()) {
    memberships->push_back(std::make_unique<Membership>(pool_, take_thread_slot(), first_));
    known = memberships->end() - 1;
  }
  latest = {pool_.get(), &(*known)->worker};
  return *latest.worker;
}

}  // namespace gondwana
