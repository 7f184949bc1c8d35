#include "front/shmem/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "core/mapping.hpp"
#include "core/print_error.hpp"
#include "engine/spaces/program_memory.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/memory.hpp"
#include "front/shmem/rma.hpp"
#include "front/shmem/sync.hpp"
#include "memory/shown_memory.hpp"
#include "process/process.hpp"

namespace gondwana::shmem {
namespace {

// Published by a rank that cannot register its buffer.
constexpr BufferPart refused{0, ~std::uint64_t{0}};

// The memory that a rank registers. Both empty: no memory.
struct Given {
  std::optional<ProgramPages> pages;
  std::optional<SpaceId> on_device;
};

Result<void> check(Engine& engine, MutableBytes memory) {
  constexpr std::size_t most = std::size_t{1} << 47;
  if (memory.size() > most)
    return Error{
        Errc::invalid_argument,
        fmt::format("a buffer of {}: no process can have that much", format_size(memory.size()))};
  if (const Bytes other = engine.buffers().overlapping(memory); !other.empty())
    return Error{Errc::invalid_argument,
                 fmt::format("{} at {} overlap the {} at {} that are already registered",
                             format_size(memory.size()), fmt::ptr(memory.data()),
                             format_size(other.size()), fmt::ptr(other.data()))};
  if (engine.symmetric().ranges().offset_of(memory.data(), 1) != SymmetricRanges::nowhere)
    return Error{
        Errc::invalid_argument,
        fmt::format("{} is symmetric memory, which peers already reach", fmt::ptr(memory.data()))};
  return {};
}

// A space begins on a cache line, so that words have the same alignment in it as in the program.
// Device allocations are at least cache-line aligned.
std::size_t line_offset(Bytes memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data()) % cache_line;
}

Result<Given> give(Engine& engine, MutableBytes memory) {
  if (memory.empty()) return Given{};
  if (const Result<void> checked = check(engine, memory); !checked) return checked.error();
  if (Kind* device = engine.kinds().owner_of(memory); device != nullptr) {
    const std::size_t before = line_offset(memory);
    const Result<SpaceId> space =
        engine.spaces().add(*device, {memory.data() - before, before + memory.size()});
    return space ? Result<Given>(Given{{}, *space}) : space.error();
  }
  const std::size_t before = reinterpret_cast<std::uintptr_t>(memory.data()) % page_size();
  const Result<ProgramPages> pages = engine.program_memory().give(
      {memory.data() - before, round_up(before + memory.size(), page_size())},
      ProgramMemory::Room::neighbors);
  if (!pages) return pages.error();
  show_buffer(shown_memory(engine.memory().page(engine.rank())), memory, "");
  return Given{*pages, {}};
}

void take_back(Engine& engine, const void* address, const Given& given) {
  if (given.pages) engine.program_memory().take_back(*given.pages);
  if (given.pages) hide_buffer(shown_memory(engine.memory().page(engine.rank())), address);
  if (given.on_device) engine.spaces().remove(*given.on_device);
}

// The agent writes on behalf of ranks of other nodes, so it must have mapped a file first.
bool is_known_to_agent(const Caller& caller, const ProgramPages& pages) {
  if (!pages.file) return true;
  ShownFiles& files = caller.engine.program_memory().files();
  caller.engine.waiter().until({.call = caller.name, .on_program_memory = true},
                               [&] { return files.has_reached_agent(*pages.file); });
  if (!files.is_refused_by_agent(*pages.file)) return true;
  caller.report(
      "it is shared memory (MAP_SHARED) whose file the node agent may not open; register "
      "private memory");
  return false;
}

// Whether the agent can reach device memory, which it must before the registration.
bool is_known_to_agent(const Caller& caller, SpaceId space) {
  const OwnSpaces& spaces = caller.engine.spaces();
  caller.engine.waiter().until({.call = caller.name, .on_program_memory = true},
                               [&] { return spaces.has_reached_agent(space); });
  if (!spaces.is_refused_by_agent(space)) return true;
  caller.report(
      "the node agent cannot access memory of this device, which ranks of other nodes need: it "
      "lacks the device, or may not open the memory that this process shares; set variables like "
      "GONDWANA_EMULATED_DEVICES for gondwana run, not only for the program");
  return false;
}

BufferPart part_of(const Caller& caller, MutableBytes memory, const Result<Given>& given) {
  if (!given) return refused;
  if (given->on_device)
    return is_known_to_agent(caller, *given->on_device)
               ? BufferPart{line_offset(memory), memory.size(), index(*given->on_device)}
               : refused;
  if (!given->pages) return {};
  const ProgramPages& pages = *given->pages;
  if (!is_known_to_agent(caller, pages)) return refused;
  const std::byte* arena = caller.engine.memory().window(caller.engine.rank());
  return {static_cast<std::uint64_t>(pages.arena.data() - arena) +
              static_cast<std::uint64_t>(memory.data() - pages.program.data()),
          memory.size()};
}

// Whether this PE reaches the device memory that a peer registers.
Result<void> check_device_part(Engine& engine, Rank rank, const BufferPart& part) {
  if (part.size == 0 || part.id() == SpaceId::arena) return {};
  if (engine.kind_access() == nullptr)
    return Error{
        Errc::invalid_argument,
        fmt::format("rank {} registers device memory, and this process has no device; set "
                    "GONDWANA_KINDS and GONDWANA_EMULATED_DEVICES to the same values for all ranks",
                    index(rank))};
  if (!engine.rma().reach().covers(rank)) return {};
  return engine.kind_access()->any_memory().check({{rank, part.id()}, part.offset}, part.size);
}

// Maps the files and the device memory that peers of this node register.
bool follow_peers(const Caller& caller, const BufferPart* parts) {
  Engine& engine = caller.engine;
  for (std::uint32_t rank = 0; rank < engine.ranks(); ++rank) {
    if (const auto checked = check_device_part(engine, Rank(rank), parts[rank]); !checked) {
      caller.report(checked.error().text);
      return false;
    }
    if (!engine.rma().reach().covers(Rank(rank))) continue;
    const Result<void> followed = engine.program_memory().files().follow(Rank(rank));
    if (followed) continue;
    caller.report(followed.error().text);
    return false;
  }
  return true;
}

// The part that each rank registers, and whether the rank can map the parts of others. The table is
// in the symmetric heap.
class Table {
 public:
  Table(const Caller& caller, void* start) : caller_(caller), start_(start) {}

  static std::size_t size(const Engine& engine) {
    return engine.ranks() * (sizeof(BufferPart) + sizeof(std::uint64_t));
  }
  BufferPart* parts() const { return static_cast<BufferPart*>(start_); }

  // Collective. Whether all ranks registered successfully.
  bool exchange(BufferPart own) {
    tell_all(&parts()[me()], &own, sizeof(own));
    return std::ranges::none_of(std::span(parts(), ranks()),
                                [](const BufferPart& part) { return part.size == refused.size; });
  }
  // Collective. Returns a word of each rank, valid until the next call on any rank.
  std::span<const std::uint64_t> gather(std::uint64_t own) {
    tell_all(&words()[me()], &own, sizeof(own));
    return {words(), ranks()};
  }

 private:
  std::uint32_t ranks() const { return caller_.engine.ranks(); }
  std::uint32_t me() const { return index(caller_.engine.rank()); }
  std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(parts() + ranks()); }
  void tell_all(void* place, const void* words, std::size_t size) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank)
      put<8>(caller_, place, words, size / 8, static_cast<int>(rank));
    barrier_all(caller_);
  }

  const Caller& caller_;
  void* start_;
};

// Unmaps peers' memory that they may now free.
void forget_views(Engine& engine, const BufferPart* parts) {
  if (engine.kind_access() == nullptr) return;
  for (std::uint32_t rank = 0; rank < engine.ranks(); ++rank)
    if (parts[rank].id() != SpaceId::arena)
      engine.kind_access()->any_memory().forget({Rank(rank), parts[rank].id()});
}

// Waits for peers and the agent to unmap device memory, after which the program may free it.
void await_agent(const Caller& caller, const std::optional<SpaceId>& on_device) {
  if (!on_device) return;
  constexpr std::chrono::seconds unmap_timeout{5};
  OwnSpaces& spaces = caller.engine.spaces();
  const auto end = std::chrono::steady_clock::now() + unmap_timeout;
  caller.engine.waiter().until({.call = caller.name, .on_program_memory = true}, [&] {
    return !spaces.is_mapped(*on_device) || std::chrono::steady_clock::now() > end;
  });
  spaces.reap();
  if (!spaces.is_mapped(*on_device)) return;
  print_error(
      "gondwana: warning: rank {}: {}: another process still maps the device memory, or ended "
      "without unmapping it; do not return this memory to its driver\n",
      this_process().rank(), caller.name);
}

}  // namespace

int register_buffer(Caller caller, void* address, std::size_t size) {
  Engine& engine = caller.engine;
  const MutableBytes memory(static_cast<std::byte*>(address), address == nullptr ? 0 : size);
  void* room = heap_malloc(caller, Table::size(engine));
  if (room == nullptr) return 1;
  Table table(caller, room);
  const Result<Given> given = give(engine, memory);
  if (!given) caller.report(given.error().text);
  const bool is_given = table.exchange(part_of(caller, memory, given));
  const auto is_yes = [](std::uint64_t word) { return word == 1; };
  if (!is_given ||
      !std::ranges::all_of(table.gather(follow_peers(caller, table.parts()) ? 1 : 0), is_yes)) {
    forget_views(engine, table.parts());
    if (given) take_back(engine, address, *given);
    heap_free(caller, room);  // starts with a barrier
    if (given) await_agent(caller, given->on_device);
    return 1;
  }
  barrier_all(caller);  // the first call that unregisters a buffer rewrites the words
  if (!memory.empty()) engine.buffers().add({memory, table.parts()});
  caller.door.buffers().push_back({address, given->pages, given->on_device, table.parts()});
  return 0;
}

namespace {

// The word by which a rank names a buffer: the offset of its table in the heap, equal on all ranks.
constexpr std::uint64_t no_buffer = 0;
constexpr std::uint64_t wrong = ~std::uint64_t{0};

std::uint64_t meant(const Caller& caller, const void* address) {
  const auto& buffers = caller.door.buffers();
  const auto* heap = caller.engine.symmetric().heap().data();
  for (const GivenBuffer& each : buffers)
    if (each.has_memory() && each.address == address)
      return 1 + static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(each.parts) - heap);
  const bool has_none = std::ranges::any_of(buffers, [&](const GivenBuffer& each) {
    return !each.has_memory() && (address == nullptr || each.address == address);
  });
  return has_none ? no_buffer : wrong;
}

// Finds the buffer that all ranks name. A rank without memory agrees with any. End: the ranks
// differ.
auto find_meant(const Caller& caller, std::span<const std::uint64_t> words) {
  auto& buffers = caller.door.buffers();
  const auto* heap = caller.engine.symmetric().heap().data();
  const std::uint64_t place = std::ranges::max(words);
  const auto fits = [&](std::uint64_t word) { return word == place || word == no_buffer; };
  if (place == wrong || !std::ranges::all_of(words, fits)) return buffers.end();
  return std::ranges::find_if(buffers, [&](const GivenBuffer& each) {
    if (place != no_buffer) return reinterpret_cast<std::byte*>(each.parts) == heap + (place - 1);
    return std::ranges::all_of(std::span(each.parts, words.size()),
                               [](const BufferPart& part) { return part.size == 0; });
  });
}

// The local part of unregistering.
void withdraw(Engine& engine, const GivenBuffer& buffer) {
  if (buffer.has_memory()) {
    engine.buffers().remove(buffer.address);
    take_back(engine, buffer.address, {buffer.pages, buffer.on_device});
  }
  forget_views(engine, buffer.parts);
}

}  // namespace

int unregister_buffer(Caller caller, void* address) {
  auto& buffers = caller.door.buffers();
  const std::uint64_t own = meant(caller, address);
  if (own == wrong) caller.report(fmt::format("no buffer is registered at {}", fmt::ptr(address)));
  if (buffers.empty()) return 1;  // the list is empty on all ranks
  const auto words = Table(caller, buffers.front().parts).gather(own);
  const auto found = find_meant(caller, words);
  if (found == buffers.end()) {
    barrier_all(caller);  // before the next call overwrites the words
    if (own != wrong) caller.report("not all ranks passed an address of the same buffer");
    return 1;
  }
  const GivenBuffer buffer = *found;
  buffers.erase(found);
  withdraw(caller.engine, buffer);
  heap_free(caller, buffer.parts);  // starts with a barrier, after which the table is unused
  await_agent(caller, buffer.on_device);
  return 0;
}

void end_buffers(const Caller& caller) {
  const std::vector<GivenBuffer> buffers = std::exchange(caller.door.buffers(), {});
  if (buffers.empty()) return;  // the list is empty on all ranks
  for (const GivenBuffer& each : buffers) withdraw(caller.engine, each);
  // Device memory and symmetric memory may be freed once no rank maps them.
  check(caller, caller.engine.collectives().barrier(caller.engine.teams().world(), caller.name));
  for (const GivenBuffer& each : buffers) await_agent(caller, each.on_device);
}

}  // namespace gondwana::shmem
