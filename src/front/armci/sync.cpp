// Fences and barriers, read-modify-write, mutexes and notifications.
#include <atomic>
#include <cstring>

#include "front/armci/door.hpp"
#include "front/armci/groups.hpp"
#include "front/armci/profiled.hpp"

namespace gondwana::armci {
namespace {

template <typename T>
AtomicRequest request_for(bool swaps, const T* here, int value) {
  AtomicRequest request{swaps ? AtomicOp::swap : AtomicOp::add,
                        sizeof(T) == 4 ? AtomicType::int32 : AtomicType::int64};
  const T operand = swaps ? *here : static_cast<T>(value);
  std::memcpy(&request.operand, &operand, sizeof(operand));
  return request;
}

bool is_aligned(const void* address, std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(address) % size == 0;
}

void update(const Door& door, const AtomicRequest& request, std::byte* there, void* here,
            std::size_t size) {
  const std::uint64_t old = find_executor(request.op, request.type)(there, request);
  door.counters().add(Count::atomics);
  std::memcpy(here, &old, size);
}

// Updates the arena of a process of this node by one instruction, which needs no turn. False: the
// address is not in that arena or is misaligned.
template <typename T>
bool try_update(bool swaps, T* here, void* there, int value, int proc) {
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
void read_modify_write(CallName call, bool swaps, void* result, void* there, int value, int proc) {
  auto* here = static_cast<T*>(result);
  if (try_update(swaps, here, there, value, proc)) return;
  const Entry door(call);
  if (door->memory().may_be_on_device(there))
    give_up(call, fmt::format("{}: memory of a device, which this call does not change",
                              fmt::ptr(there)));
  if (door->memory().may_be_on_device(here)) {
    T on_host{};
    door->memory().copy(call, &on_host, here, sizeof(T));
    read_modify_write<T>(call, swaps, &on_host, there, value, proc);
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

}  // namespace
}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

void PARMCI_Fence(int proc) {
  constexpr auto call = "ARMCI_Fence";
  const Entry here(call);
  here->checked_rank(call, proc);
  here->complete(call);
}

void PARMCI_AllFence(void) {
  constexpr auto call = "ARMCI_AllFence";
  Entry(call)->complete(call);
}

void ARMCI_GroupFence(ARMCI_Group* group) {
  constexpr auto call = "ARMCI_GroupFence";
  group_of(Entry(call), group).door().complete(call);
}

void PARMCI_Barrier(void) {
  constexpr auto call = "ARMCI_Barrier";
  const Entry here(call);
  here->groups().world().compare(call);
  here->check(call, here->engine().collectives().barrier(here->engine().teams().world(), call));
}

int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
  constexpr auto call = "ARMCI_Rmw";
  switch (op) {
    case ARMCI_FETCH_AND_ADD:
    case ARMCI_SWAP:
      read_modify_write<int>(call, op == ARMCI_SWAP, ploc, prem, value, proc);
      return 0;
    case ARMCI_FETCH_AND_ADD_LONG:
    case ARMCI_SWAP_LONG:
      read_modify_write<long>(call, op == ARMCI_SWAP_LONG, ploc, prem, value, proc);
      return 0;
    default:
      give_up(call, fmt::format("operation {}: expected ARMCI_FETCH_AND_ADD, ARMCI_SWAP, or one of "
                                "them with _LONG",
                                op));
  }
}

int PARMCI_Create_mutexes(int count) {
  constexpr auto call = "ARMCI_Create_mutexes";
  if (count < 0) give_up(call, fmt::format("{} mutexes", count));
  return Entry(call)->mutexes().create(call, static_cast<std::uint32_t>(count)) ? 0 : 1;
}

int PARMCI_Destroy_mutexes(void) {
  constexpr auto call = "ARMCI_Destroy_mutexes";
  Entry(call)->mutexes().destroy(call);
  return 0;
}

void PARMCI_Lock(int mutex, int proc) {
  constexpr auto call = "ARMCI_Lock";
  Entry(call)->mutexes().lock(call, mutex, proc);
}

void PARMCI_Unlock(int mutex, int proc) {
  constexpr auto call = "ARMCI_Unlock";
  Entry(call)->mutexes().unlock(call, mutex, proc);
}

int armci_notify(int proc) {
  constexpr auto call = "armci_notify";
  const Entry here(call);
  const gondwana::Rank to = here->checked_rank(call, proc);
  here->complete(call);
  here->words().request(call, to, here->words().notifications_of(to, here->rank()),
                        {gondwana::AtomicOp::add, gondwana::AtomicType::uint64, 1});
  return 0;
}

int armci_notify_wait(int proc, int* pval) {
  constexpr auto call = "armci_notify_wait";
  const Entry here(call);
  const gondwana::Rank from = here->checked_rank(call, proc);
  const std::atomic_ref count(
      here->words().own(here->words().notifications_of(here->rank(), from)));
  const std::uint64_t wanted = here->words().next_notification(from);
  here->engine().waiter().on_memory(
      call, [&] { return count.load(std::memory_order_acquire) >= wanted; }, gondwana::index(from));
  if (pval != nullptr) *pval = static_cast<int>(wanted);
  return 0;
}

GONDWANA_PROFILED(Fence);
GONDWANA_PROFILED(AllFence);
GONDWANA_PROFILED(Barrier);
GONDWANA_PROFILED(Rmw);
GONDWANA_PROFILED(Create_mutexes);
GONDWANA_PROFILED(Destroy_mutexes);
GONDWANA_PROFILED(Lock);
GONDWANA_PROFILED(Unlock);
