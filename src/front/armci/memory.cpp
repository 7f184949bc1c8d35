#include "front/armci/memory.hpp"

#include "core/address_kind.hpp"
#include "front/armci/door.hpp"

namespace gondwana::armci {
namespace {

// `named`: the process that the call names.
std::string describe_owner(Engine& engine, Rank named, const void* address) {
  if (const auto rank = engine.symmetric().rank_at(address))
    return *rank == named ? "" : fmt::format("; it is memory of process {}", index(*rank));
  if (engine.kinds().has_known(address))
    return "; it is device memory, which is allowed on the local side only";
  const std::string what = find_address_facts(address).what;
  return what.empty() ? what : "; it is " + what;
}

}  // namespace

Memory::Memory(const Door& door, Engine& engine)
    : door_(door),
      engine_(engine),
      reach_(engine.rma().reach()),
      copies_(engine.rma().copies()),
      has_devices_(engine.kinds().has_devices()),
      own_arena_(engine.memory().window(engine.rank())),
      arena_size_(engine.memory().plan().arena_size()) {}

std::uint64_t Memory::offset_in_own_arena(Bytes memory) const {
  const auto offset = static_cast<std::size_t>(memory.data() - own_arena_);
  const bool is_inside = offset <= arena_size_ && memory.size() <= arena_size_ - offset;
  return is_inside ? offset : StagedTeam::nowhere;
}

// A process may name any memory of its own, and symmetric memory of all. It names its own symmetric
// variables as other processes do, because the offset decides which lock an accumulate takes.
Place Memory::find_elsewhere(CallName call, int proc, const void* address, std::size_t size) const {
  const Rank rank = door_.checked_rank(call, proc);
  auto* here = static_cast<std::byte*>(const_cast<void*>(address));
  std::size_t offset = engine_.symmetric().ranges().offset_of(address, size);
  if (offset == SymmetricRanges::nowhere && rank == engine_.rank()) return {here, {}};
  const bool is_near = this->is_near(rank);
  if (offset == SymmetricRanges::nowhere && !is_near) offset = offset_in_own_arena({here, size});
  if (offset == SymmetricRanges::nowhere || offset == StagedTeam::nowhere)
    give_up(call,
            fmt::format("{} bytes at {}: not memory that ARMCI_Malloc returned for process {}{}",
                        size, fmt::ptr(address), proc, describe_owner(engine_, rank, address)));
  if (is_near) return {engine_.memory().window(rank) + offset, {}};
  return {nullptr, {rank, offset}};
}

std::byte* Memory::window_beside_devices(int proc, const void* address, std::size_t size,
                                         const void* own) const {
  if (!has_devices_ || may_be_on_device(own)) return nullptr;
  return window_of(reach_, proc, address, size);
}

void Memory::copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const {
  if (!may_be_on_device(to) && !may_be_on_device(from)) {
    std::memmove(to, from, size);
    return;
  }
  const Result<void> copied = engine_.kind_access()->any_memory().copy(
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size);
  if (!copied) give_up(call, copied.error().text);
}

void OnHost::take_copy() {
  copy_.resize(array_.size());
  if (use_ != Use::written) memory_.copy(call_, copy_.data(), array_.data(), copy_.size());
}

}  // namespace gondwana::armci
