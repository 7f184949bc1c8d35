#include "process/prefault.hpp"

#include <fmt/format.h>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "engine/wait/long_wait.hpp"
#include "engine/wait/processors.hpp"
#include "memory/populate.hpp"

namespace gondwana {
namespace {

// Checked before the first page is allocated: a shortage found later kills the rank. Huge pages are
// already reserved for us.
Result<void> find_room(const Engine& engine) {
  const std::size_t heap = engine.symmetric().heap_size() - engine.symmetric().huge_size();
  const std::uint32_t ranks = engine.memory().roster().here().size();
  const std::size_t left = available_memory();
  if (heap <= left / ranks) return {};
  return Error{Errc::out_of_memory,
               fmt::format("GONDWANA_PREFAULT: a heap of {} on each of {} ranks needs {}, this "
                           "node has {} left; lower GONDWANA_HEAP_SIZE to {}, or set "
                           "GONDWANA_PREFAULT=off",
                           format_size(heap), ranks, format_size(heap * ranks), format_size(left),
                           format_size_option(left / ranks))};
}

}  // namespace

std::optional<std::string> huge_page_warning(const Engine& engine) {
  const SymmetricMemory& memory = engine.symmetric();
  const bool of_any_size = engine.options().heap_size == 0;
  const std::size_t huge = memory.huge_size();
  if (!engine.options().hugetlb || huge == memory.heap_size() || (of_any_size && huge > 0))
    return std::nullopt;
  return fmt::format(
      "GONDWANA_HUGETLB: {} of each heap of {} {} on huge pages; no more of the pages that the "
      "administrator has reserved are free (sysctl vm.nr_hugepages)",
      huge == 0 ? "nothing" : format_size(huge), format_size(memory.heap_size()),
      huge == 0 ? "lies" : "lie");
}

Result<void> prefault(Engine& engine, MutableBytes pages) {
  const Prefault where = engine.options().prefault;
  if (where == Prefault::off || pages.empty()) return {};
  if (where == Prefault::interleave)
    if (const Result<void> spread = interleave(pages); !spread) return spread.error();
  Waiting& waiting = engine.memory().threads(engine.rank()).slots[0].waiting;
  const ShownWait shown(waiting, {.call = "GONDWANA_PREFAULT"});  // it may take seconds
  return populate(pages, share_of_processors(engine.memory(), engine.rank()));
}

Result<void> prefault_heap(Engine& engine, CallName call) {
  if (engine.options().prefault == Prefault::off) return {};
  const MutableBytes heap = engine.symmetric().heap();
  if (const Result<void> room = find_room(engine); !room) return room.error();
  Team& world = engine.teams().world();
  const bool is_alone = has_dead(engine.waiter().losses().list(), world);  // it replaces another
  if (!is_alone) engine.collectives().sync(world, call);  // all ranks check before any allocates
  if (const Result<void> there = prefault(engine, heap); !there) return there.error();
  if (!is_alone) engine.collectives().sync(world, call);
  return {};
}

}  // namespace gondwana
