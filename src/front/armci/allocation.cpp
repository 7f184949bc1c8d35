#include "front/armci/allocation.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "front/armci/door.hpp"
#include "front/armci/groups.hpp"
#include "process/message.hpp"

namespace gondwana::armci {
namespace {

// A member's part of an allocation.
struct Share {
  static constexpr std::uint64_t failed = ~std::uint64_t{0};

  std::uint64_t offset = 0;  // in the member's arena; 0: the member asked for no memory
};

Share share_of(Door& here, CallName call, armci_size_t size, std::byte*& block) {
  if (size == 0) return {};
  if (size < 0) give_up(call, fmt::format("a negative size, {}", size));
  block = here.heap().allocate(static_cast<std::size_t>(size));
  if (block != nullptr) return {static_cast<std::uint64_t>(block - here.memory().own_arena())};
  say("%s: cannot allocate %ld bytes: only %zu are free in this process; free arrays, or start "
      "fewer processes on a node",
      call, size, here.heap().largest_free());
  return {Share::failed};
}

// Collective. If one member runs out of memory, none gets any.
int allocate_for(Group& group, CallName call, void** addresses, armci_size_t size) {
  Door& here = group.door();
  here.engine().kinds().open_used();
  std::byte* block = nullptr;
  const std::vector<Share> shares = group.exchange(call, share_of(here, call, size, block));
  const bool failed = std::ranges::find(shares, Share::failed, &Share::offset) != shares.end();
  if (failed && block != nullptr) here.heap().release(block);
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    const bool has_none = failed || shares[i].offset == 0;
    addresses[i] = has_none ? nullptr : here.memory().name_of(group.rank_of(i), shares[i].offset);
  }
  return failed ? 1 : 0;
}

int release_for(Group& group, CallName call, void* block) {
  Door& here = group.door();
  here.complete(call);
  group.meet(call);
  if (block != nullptr && !here.heap().release(static_cast<std::byte*>(block)))
    give_up(call,
            fmt::format(
                "{}: not an address that ARMCI_Malloc returned to this process, or already freed",
                fmt::ptr(block)));
  return 0;
}

}  // namespace

int allocate(CallName call, void** addresses, armci_size_t size) {
  return allocate_for(Entry(call)->groups().world(), call, addresses, size);
}

int allocate(CallName call, void** addresses, armci_size_t size, const ARMCI_Group* group) {
  return allocate_for(member_group(Entry(call), group), call, addresses, size);
}

int release(CallName call, void* block) {
  return release_for(Entry(call)->groups().world(), call, block);
}

int release(CallName call, void* block, const ARMCI_Group* group) {
  return release_for(member_group(Entry(call), group), call, block);
}

void* allocate_local(CallName /*call*/, armci_size_t size) {
  return size < 0 ? nullptr
                  : std::malloc(static_cast<std::size_t>(std::max<armci_size_t>(size, 1)));
}

int release_local(CallName call, void* block) {
  if (own_door != nullptr && own_door->memory().may_be_on_device(block))
    give_up(call,
            fmt::format("{}: device memory, which ARMCI_Malloc_local has not returned", block));
  std::free(block);
  return 0;
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

// The structure contains the owner and the offset in its arena.
void ARMCI_Memget(std::size_t bytes, armci_meminfo_t* meminfo, int /*memflg*/) {
  const Entry here("ARMCI_Memget");
  *meminfo = {};
  std::byte* block = here->heap().allocate(std::max<std::size_t>(bytes, 1));
  if (block == nullptr) return;
  meminfo->addr = meminfo->attach_addr = reinterpret_cast<char*>(block);
  meminfo->size = bytes;
  meminfo->cpid = static_cast<int>(gondwana::index(here->rank()));
  meminfo->idlist[0] = static_cast<long>(block - here->memory().own_arena());
}

void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset) {
  constexpr auto call = "ARMCI_Memat";
  const Entry here(call);
  const gondwana::Rank owner = here->checked_rank(call, meminfo->cpid);
  if (meminfo->addr == nullptr || !here->memory().is_near(owner)) return nullptr;
  return static_cast<std::byte*>(
             here->memory().name_of(owner, static_cast<std::uint64_t>(meminfo->idlist[0]))) +
         offset;
}

// Memory stays mapped until the job ends. The last ARMCI_Finalize frees the owner's block.
void ARMCI_Memdt(armci_meminfo_t* /*meminfo*/, long /*offset*/) {}

void ARMCI_Memctl(armci_meminfo_t* meminfo) {
  const Entry here("ARMCI_Memctl");
  const bool is_mine = static_cast<std::uint32_t>(meminfo->cpid) == gondwana::index(here->rank());
  if (is_mine && meminfo->addr != nullptr)
    here->heap().release(reinterpret_cast<std::byte*>(meminfo->addr));
  meminfo->addr = nullptr;
}

void ARMCI_Set_shm_limit(unsigned long /*shmemlimit*/) {}
