#include "front/shmem/blocks.hpp"

#include <array>

#include "engine/rma/near_accumulate.hpp"
#include "front/shmem/checks.hpp"

namespace gondwana::shmem {
namespace {

constexpr shmemx_gptr_t null{};

bool is_null(shmemx_gptr_t place) {
  return place.offset == 0;
}

// The address of this PE that names the memory; null if the pointer names none.
std::byte* find(const Caller& caller, shmemx_gptr_t place) {
  const Engine& engine = caller.engine;
  std::byte* address = engine.memory().window(engine.rank()) + place.offset;
  const bool is_valid = place.space == 0 && !is_null(place) &&
                        static_cast<std::uint32_t>(place.pe) < engine.ranks() &&
                        engine.rma().is_symmetric(address);
  return is_valid ? address : nullptr;
}

[[gnu::cold]] void explain(const Caller& caller, shmemx_gptr_t place) {
  caller.report(is_null(place)
                    ? "the global pointer is null"
                    : fmt::format("PE {}, offset {:#x}, space {} is not a global pointer "
                                  "of shmemx_malloc_at",
                                  place.pe, place.offset, place.space));
}

// The elements of these types are named in this order in shmemx.h.
constexpr std::array accumulate_types_of_shmemx{AccumulateType::int32, AccumulateType::int64,
                                                AccumulateType::float32, AccumulateType::float64};

void accumulate_near(const Caller& caller, Rank to, std::size_t offset, const Accumulation& what,
                     Bytes terms) {
  const NodeMemory& memory = caller.engine.memory();
  std::byte* arena = memory.window(to);
  NearAccumulate(memory, caller.engine.waiter(), caller.name, to, what,
                 holder_of(caller.engine.rank()))
      .add(arena + offset, terms.data(), terms.size());
  Reach::wake(arena);
  caller.lane.counters().add_put(terms.size());
}

void accumulate_far(const Caller& caller, Remote to, const Accumulation& what, Bytes terms) {
  const StridedRun run{.size = terms.size(),
                       .count = 1,
                       .there = to.offset,
                       .here = const_cast<std::byte*>(terms.data())};
  const auto begun = caller.engine.remote().begin_accumulate(
      caller.lane, to.owner(), what, std::span(&run, 1), caller.lane.posted().pending());
  check(caller, begun == RemoteAccess::Begun::pending);
}

shmemx_gptr_t allocate(const Caller& caller, int pe, std::size_t bytes, BlockOwner owner) {
  if (bytes == 0) return null;
  const Result<std::uint64_t> block =
      caller.engine.blocks().allocate(caller.lane, rank_of(pe), bytes, owner);
  if (block) [[likely]]
    return {.offset = *block, .pe = pe, .space = 0};
  caller.report(block.error().text);
  return null;
}

}  // namespace

shmemx_gptr_t malloc_at(Caller caller, int pe, std::size_t bytes) {
  return allocate(caller, pe, bytes, BlockOwner::none);
}

shmemx_gptr_t malloc_at_owned(Caller caller, int pe, std::size_t bytes) {
  const Rank me = caller.engine.rank();
  const DeathList& deaths = caller.engine.waiter().losses().list();
  return allocate(caller, pe, bytes, owner_of(me, deaths.replacements_of(me)));
}

int free_at(Caller caller, shmemx_gptr_t block) {
  if (is_null(block)) return 0;
  if (block.space != 0) {
    explain(caller, block);
    return 1;
  }
  const Result<void> freed =
      caller.engine.blocks().release(caller.lane, {rank_of(block.pe), block.offset});
  if (freed) [[likely]]
    return 0;
  caller.report(freed.error().text);
  return 1;
}

void* address_of(Caller caller, shmemx_gptr_t place) {
  std::byte* address = find(caller, place);
  if (address == nullptr) [[unlikely]]
    explain(caller, place);
  return address;
}

void* pointer_to(Caller caller, shmemx_gptr_t place) {
  const std::byte* address = find(caller, place);
  if (address != nullptr) [[likely]]
    return caller.engine.rma().pointer_to(rank_of(place.pe), address);
  if (!is_null(place)) explain(caller, place);
  return nullptr;
}

int accumulate_at(Caller caller, shmemx_gptr_t dest, const void* source, std::size_t count,
                  int type) {
  const auto number = static_cast<std::size_t>(type);
  if (number >= accumulate_types_of_shmemx.size()) {
    caller.report(
        fmt::format("type {}: expected SHMEMX_INT32, SHMEMX_INT64, SHMEMX_FLOAT or "
                    "SHMEMX_DOUBLE",
                    type));
    return 1;
  }
  const Accumulation what = Accumulation::unscaled(accumulate_types_of_shmemx[number]);
  const std::size_t bytes = times(count, width(what.type()));
  if (bytes == 0) return 0;
  const std::byte* address = find(caller, dest);
  if (address == nullptr || !caller.engine.rma().is_symmetric(address, bytes)) {
    explain(caller, dest);
    return 1;
  }
  const Rank to = rank_of(dest.pe);
  if (caller.engine.waiter().losses().list().has(to)) {
    fail_call(caller.lane, caller.name);
    return SHMEMX_ERR_DEAD_PE;
  }
  const Bytes terms(static_cast<const std::byte*>(source), bytes);
  try {
    if (caller.engine.rma().reach().covers(to))
      accumulate_near(caller, to, dest.offset, what, terms);
    else
      accumulate_far(caller, {to, dest.offset}, what, terms);
  } catch (const HopelessWait& hopeless) {
    return lost<int>(hopeless);
  }
  return 0;
}

}  // namespace gondwana::shmem
