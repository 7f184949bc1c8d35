#include "front/armci/words.hpp"

#include <atomic>

#include "front/armci/door.hpp"

namespace gondwana::armci {

void Words::open(std::vector<std::uint64_t> offsets) {
  offsets_ = std::move(offsets);
  notified_.resize(offsets_.size());
}

std::uint64_t Words::request(CallName call, Rank rank, std::uint64_t offset,
                             const AtomicRequest& request) const {
  if (door_.memory().is_near(rank)) {
    std::byte* arena = door_.engine().memory().window(rank);
    const std::uint64_t old = find_executor(request.op, request.type)(arena + offset, request);
    if (request.op != AtomicOp::fetch) Reach::wake(arena);
    return old;
  }
  const std::optional<std::uint64_t> old =
      door_.engine().remote().request(door_.lane(), {rank, offset}, request, call);
  door_.check(call, old.has_value());
  return *old;
}

void Words::store(CallName call, Rank rank, std::uint64_t offset, std::uint64_t word) const {
  if (!door_.memory().is_near(rank)) {
    door_.check(call, door_.engine().remote().put(door_.lane(), {rank, offset},
                                                  std::as_bytes(std::span(&word, 1))));
    return;
  }
  std::byte* arena = door_.engine().memory().window(rank);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(arena + offset))
      .store(word, std::memory_order_release);
  Reach::wake(arena);
}

std::uint64_t& Words::own(std::uint64_t offset) const {
  return *reinterpret_cast<std::uint64_t*>(door_.memory().own_arena() + offset);
}

}  // namespace gondwana::armci
