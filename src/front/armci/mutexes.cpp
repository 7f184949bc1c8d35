#include "front/armci/mutexes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "front/armci/door.hpp"
#include "sync/queue_lock.hpp"

namespace gondwana::armci {

// The words of one mutex, with the functions that sync/queue_lock.hpp needs.
class Mutexes::Words {
 public:
  Words(Mutexes& all, CallName call, Rank home, std::uint32_t mutex)
      : all_(all), door_(all.door_), call_(call), home_(home), mutex_(mutex) {}

  std::uint32_t swap_tail(std::uint32_t value) const {
    return at(home_, tail(), {AtomicOp::swap, AtomicType::uint32, value});
  }
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) const {
    return at(home_, tail(), {AtomicOp::compare_swap, AtomicType::uint32, value, expected});
  }
  void add_to_node(std::uint32_t member, std::uint32_t value) const {
    at(Rank(member), node_of(Rank(member)), {AtomicOp::add, AtomicType::uint32, value});
  }
  std::uint32_t node() const {
    return own().load(std::memory_order_acquire);  // pairs with add_to_node()
  }
  void set_node(std::uint32_t value) const { own().store(value, std::memory_order_relaxed); }
  template <typename Done>
  void wait_for(std::uint32_t member, const Done& done) const {
    door_.engine().waiter().on_memory(call_, done, member);
  }

 private:
  std::uint32_t at(Rank rank, std::uint64_t offset, const AtomicRequest& request) const {
    return static_cast<std::uint32_t>(door_.words().request(call_, rank, offset, request));
  }
  std::uint64_t tail() const {
    return all_.parts_[index(home_)].offset + mutex_ * sizeof(std::uint32_t);
  }
  std::uint64_t node_of(Rank rank) const {
    const Part& there = all_.parts_[index(rank)];
    const std::uint32_t number = all_.parts_[index(home_)].first + mutex_;
    return there.offset + (there.count + number) * sizeof(std::uint32_t);
  }
  std::atomic_ref<std::uint32_t> own() const {
    return std::atomic_ref(
        *reinterpret_cast<std::uint32_t*>(door_.memory().own_arena() + node_of(door_.rank())));
  }

  Mutexes& all_;
  Door& door_;
  CallName call_;
  Rank home_;
  std::uint32_t mutex_;
};

bool Mutexes::create(CallName call, std::uint32_t count) {
  if (exist()) give_up(call, "mutexes already exist; call ARMCI_Destroy_mutexes first");
  const std::vector<std::uint32_t> counts = door_.groups().world().exchange(call, count);
  std::uint32_t total = 0;
  for (const std::uint32_t each : counts) total += each;
  const std::size_t size = (count + std::size_t{total} + 1) * sizeof(std::uint32_t);
  own_ = door_.heap().allocate(size);
  if (own_ != nullptr) std::memset(own_, 0, size);
  const std::uint64_t mine =
      own_ == nullptr ? 0 : static_cast<std::uint64_t>(own_ - door_.memory().own_arena());
  const std::vector<std::uint64_t> offsets = door_.groups().world().exchange(call, mine);
  std::uint32_t first = 0;
  for (std::uint32_t rank = 0; rank < counts.size(); ++rank) {
    if (offsets[rank] == 0) {
      parts_.clear();
      if (own_ != nullptr) door_.heap().release(own_);
      return false;
    }
    parts_.push_back({offsets[rank], counts[rank], first});
    first += counts[rank];
  }
  return true;
}

void Mutexes::destroy(CallName call) {
  if (!exist()) give_up(call, "no mutexes exist");
  door_.groups().world().meet(call);
  parts_.clear();
  held_.clear();
  door_.heap().release(own_);
}

Mutexes::Words Mutexes::words_of(CallName call, int mutex, int proc) {
  const Rank home = door_.checked_rank(call, proc);
  if (!exist()) give_up(call, "no mutexes exist; call ARMCI_Create_mutexes first");
  const std::uint32_t count = parts_[index(home)].count;
  if (mutex < 0 || static_cast<std::uint32_t>(mutex) >= count)
    give_up(call, fmt::format("mutex {}: process {} has {}", mutex, proc, count));
  return {*this, call, home, static_cast<std::uint32_t>(mutex)};
}

void Mutexes::lock(CallName call, int mutex, int proc) {
  Words words = words_of(call, mutex, proc);
  QueueLock queue(words, index(door_.rank()));
  if (const auto held = find_held(mutex, proc); held != held_.end() && held->thread == &own_turn)
    give_up(call, fmt::format("this process already holds mutex {} of process {}", mutex, proc));
  // Threads of a process share its node in the queue.
  if (queue.is_mine()) door_.engine().waiter().on_memory(call, [&] { return !queue.is_mine(); });
  queue.acquire();
  held_.push_back({mutex, proc, &own_turn});
}

// The holder's operations complete before another process gets the mutex.
void Mutexes::unlock(CallName call, int mutex, int proc) {
  Words words = words_of(call, mutex, proc);
  QueueLock queue(words, index(door_.rank()));
  const auto held = find_held(mutex, proc);
  if (held == held_.end())
    give_up(call, fmt::format("this process does not hold mutex {} of process {}", mutex, proc));
  held_.erase(held);
  door_.complete(call);
  queue.release();
}

std::vector<Mutexes::Held>::iterator Mutexes::find_held(int mutex, int proc) {
  return std::ranges::find_if(
      held_, [&](const Held& held) { return held.mutex == mutex && held.proc == proc; });
}

}  // namespace gondwana::armci
