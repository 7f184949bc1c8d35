// Fences and barriers, read-modify-write and mutexes.
#pragma once

#include <cstring>

#include "front/armci/door.hpp"
#include "front/armci/groups.hpp"

namespace gondwana::armci {

inline void fence(CallName call, int proc) {
  const Entry here(call);
  here->checked_rank(call, proc);
  here->complete(call);
}

inline void fence_all(CallName call) {
  Entry(call)->complete(call);
}

inline void fence_group(CallName call, const ARMCI_Group* group) {
  group_of(Entry(call), group).door().complete(call);
}

inline void barrier(CallName call) {
  const Entry here(call);
  here->groups().world().compare(call);
  here->check(call, here->engine().collectives().barrier(here->engine().teams().world(), call));
}

template <typename T>
AtomicRequest request_for(bool swaps, const T* here, int value) {
  AtomicRequest request{swaps ? AtomicOp::swap : AtomicOp::add,
                        sizeof(T) == 4 ? AtomicType::int32 : AtomicType::int64};
  const T operand = swaps ? *here : static_cast<T>(value);
  std::memcpy(&request.operand, &operand, sizeof(operand));
  return request;
}

inline bool is_aligned(const void* address, std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(address) % size == 0;
}

inline void update(const Door& door, const AtomicRequest& request, std::byte* there, void* here,
                   std::size_t size) {
  const std::uint64_t old = find_executor(request.op, request.type)(there, request);
  door.counters().add(Count::atomics);
  std::memcpy(here, &old, size);
}

// Updates the arena of a process of this node by one instruction, which needs no turn. False: the
// address is not in that arena or is misaligned.
template <typename T>
[[gnu::always_inline]] inline bool try_update(bool swaps, T* here, void* there, int value,
                                              int proc) {
  if (own_door == nullptr || !is_aligned(there, sizeof(T))) [[unlikely]]
    return false;
  std::byte* window = own_door->memory().window_of(proc, there, sizeof(T), here);
  if (window == nullptr) return false;
  const AtomicRequest request = request_for(swaps, here, value);
  update(*own_door, request, static_cast<std::byte*>(there), here, sizeof(T));
  Reach::wake(window);
  return true;
}

template <typename T>
[[gnu::noinline]] void modify(CallName call, bool swaps, void* result, void* there, int value,
                              int proc) {
  auto* here = static_cast<T*>(result);
  const Entry door(call);
  if (door->memory().may_be_on_device(there))
    give_up(call,
            fmt::format("{}: device memory, which this call does not support", fmt::ptr(there)));
  if (door->memory().may_be_on_device(here)) {
    T on_host{};
    door->memory().copy(call, &on_host, here, sizeof(T));
    modify<T>(call, swaps, &on_host, there, value, proc);
    return door->memory().copy(call, here, &on_host, sizeof(T));
  }
  if (!is_aligned(there, sizeof(T)))
    give_up(call,
            fmt::format("{}: not aligned to the {} bytes of its type", fmt::ptr(there), sizeof(T)));
  const Place place = door->memory().find(call, proc, there, sizeof(T));
  const AtomicRequest request = request_for(swaps, here, value);
  if (place.here != nullptr) {
    update(*door, request, place.here, here, sizeof(T));
    return door->memory().wake(proc);
  }
  door->order(call);
  const auto old = door->engine().remote().request(door->lane(), place.elsewhere, request, call);
  door->check(call, old.has_value());
  std::memcpy(here, &*old, sizeof(T));
}

[[gnu::always_inline]] inline int read_modify_write(CallName call, int op, void* result,
                                                    void* there, int value, int proc) {
  switch (op) {
    case ARMCI_FETCH_AND_ADD:
    case ARMCI_SWAP:
      if (!try_update(op == ARMCI_SWAP, static_cast<int*>(result), there, value, proc))
        modify<int>(call, op == ARMCI_SWAP, result, there, value, proc);
      return 0;
    case ARMCI_FETCH_AND_ADD_LONG:
    case ARMCI_SWAP_LONG:
      if (!try_update(op == ARMCI_SWAP_LONG, static_cast<long*>(result), there, value, proc))
        modify<long>(call, op == ARMCI_SWAP_LONG, result, there, value, proc);
      return 0;
    default:
      give_up(call, fmt::format("operation {}: expected ARMCI_FETCH_AND_ADD, ARMCI_SWAP, or one of "
                                "them with _LONG",
                                op));
  }
}

inline int create_mutexes(CallName call, int count) {
  if (count < 0) give_up(call, fmt::format("{} mutexes", count));
  return Entry(call)->mutexes().create(call, static_cast<std::uint32_t>(count)) ? 0 : 1;
}

inline int destroy_mutexes(CallName call) {
  Entry(call)->mutexes().destroy(call);
  return 0;
}

inline void lock(CallName call, int mutex, int proc) {
  Entry(call)->mutexes().lock(call, mutex, proc);
}

inline void unlock(CallName call, int mutex, int proc) {
  Entry(call)->mutexes().unlock(call, mutex, proc);
}

}  // namespace gondwana::armci
