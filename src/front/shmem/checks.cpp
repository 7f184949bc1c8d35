#include "front/shmem/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string_view>
#include <thread>
#include <vector>

#include "core/elf_symbols.hpp"
#include "core/more_ranks.hpp"
#include "engine/symmetric/not_symmetric.hpp"

namespace gondwana::shmem {
namespace {

// More bytes than any process can address.
constexpr std::size_t address_space = std::size_t{1} << 47;

// Bytes from the start of an array to its end.
std::size_t size_of(const Array& array) {
  if (array.count == 0) return 0;
  std::size_t elements = 0;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(array.count - 1, static_cast<std::size_t>(array.stride), &elements) ||
      __builtin_add_overflow(elements, array.block, &elements) ||
      __builtin_mul_overflow(elements, array.width, &bytes))
    return ~std::size_t{0};
  return bytes;
}

// The required alignment of an element. Routines with a size in their name, like shmem_put64, also
// serve types that consist of two smaller ones.
std::size_t alignment_of(std::string_view name, std::size_t width) {
  constexpr std::size_t most = 8;  // enough, even for long double
  const std::size_t digit = name.find_first_of("0123456789");
  const bool has_size = digit != name.npos && !name.substr(0, digit).ends_with("int");
  const bool is_complex = name.find("complex") != name.npos;
  const std::size_t part = (has_size || is_complex) && width > 1 ? width / 2 : width;
  return std::min(part, most);
}

std::string describe_elements(std::size_t count, std::size_t width) {
  if (width == 1) return fmt::format("{} bytes", count);
  return fmt::format("{} element{} of {} B", count, count == 1 ? "" : "s", width);
}

[[noreturn]] void refuse(const Caller& caller, const Array& array, const std::string& why) {
  give_up(caller.name,
          fmt::format("argument {} is {}: {}", array.argument,
                      array.data == nullptr ? "null" : fmt::format("{}", array.data), why));
}

void examine_address(const Caller& caller, const Array& array) {
  if (array.count == 0 || array.block == 0) return;
  if (const auto number = static_cast<std::int64_t>(array.count); number < 0)
    refuse(caller, array,
           fmt::format("{} elements of {} B: a negative number", number, array.width));
  if (size_of(array) > address_space)
    refuse(caller, array,
           fmt::format("{} is more than a process can address",
                       describe_elements(array.count, array.width * array.block)));
  if (array.data == nullptr)
    refuse(caller, array,
           fmt::format("expected the address of {}",
                       describe_elements(array.count * array.block, array.width)));
  const std::size_t alignment = alignment_of(caller.name, array.width);
  if (reinterpret_cast<std::uintptr_t>(array.data) % alignment != 0)
    refuse(caller, array, fmt::format("not aligned to {} bytes", alignment));
}

// Null overlaps with nothing.
bool overlap(const void* a, std::size_t a_size, const void* b, std::size_t b_size) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first != 0 && second != 0 && a_size > 0 && b_size > 0 && first < second + b_size &&
         second < first + a_size;
}

void examine_overlap(const Caller& caller, const Array& a, const void* place_of_a, const Array& b) {
  if (!overlap(place_of_a, size_of(a), b.data, size_of(b))) return;
  give_up(caller.name,
          fmt::format("arguments {} and {}, {} and {}, overlap in memory: {} B and {} B",
                      a.argument, b.argument, a.data, b.data, size_of(a), size_of(b)));
}

// Describes an array by its offset, which members of a team can compare. Addresses differ by rank.
std::string describe_place(const Caller& caller, const Array& array) {
  const std::size_t offset = caller.engine.symmetric().ranges().offset_of(array.data, 0);
  return offset == SymmetricRanges::nowhere
             ? fmt::format("{} not symmetric", array.argument)
             : fmt::format("{} at symmetric offset {:#x}", array.argument, offset);
}

// "5 elements of 8 B, root 0, dest at symmetric offset 0x200040, source at ..."
std::string describe_arrays(const Caller& caller, const Array& dest, const Array& source,
                            const std::string& details) {
  std::string text = describe_elements(source.count, source.width);
  if (!details.empty()) text += ", " + details;
  if (source.count == 0) return text;
  return fmt::format("{}, {}, {}", text, describe_place(caller, dest),
                     describe_place(caller, source));
}

// An array in a variable of the program must be inside it.
void examine_variable(const Caller& caller, const Array& array) {
  const MutableBytes globals = caller.engine.symmetric().ranges().globals;
  const auto address = reinterpret_cast<std::uintptr_t>(array.data);
  if (address - reinterpret_cast<std::uintptr_t>(globals.data()) >= globals.size()) return;
  static const std::vector<ProgramVariable> variables = variables_of_program();
  const auto next = std::ranges::upper_bound(variables, address, {}, &ProgramVariable::begin);
  if (next == variables.begin()) return;
  const ProgramVariable& variable = *std::prev(next);
  const std::size_t at = address - variable.begin;
  if (at >= variable.size || size_of(array) <= variable.size - at) return;
  refuse(caller, array,
         fmt::format("{} B starting at byte {} exceed the variable {} of {} B", size_of(array), at,
                     variable.name, variable.size));
}

// An array in the heap must be inside one block.
void examine_block(const Caller& caller, const Array& array) {
  examine_variable(caller, array);
  if (const auto doubt = caller.engine.symmetric().doubt_about(array.data, size_of(array)))
    refuse(caller, array, *doubt);
}

// An array that must be host memory, even if others are on devices.
void examine_host(const Caller& caller, const Array& array) {
  const KindAccess* kinds = caller.engine.kind_access();
  if (kinds == nullptr || array.data == nullptr || array.count == 0) return;
  if (const std::string device = kinds->device_at(array.data); !device.empty())
    refuse(caller, array, fmt::format("memory of {}: expected memory of the host", device));
}

}  // namespace

void examine_own(const Caller& caller, const Array& array) {
  examine_address(caller, array);
  const SymmetricRanges& ranges = caller.engine.symmetric().ranges();
  constexpr std::size_t nowhere = SymmetricRanges::nowhere;
  if (array.count == 0 || ranges.offset_of(array.data, 1) == nowhere) return;
  if (ranges.offset_of(array.data, size_of(array)) == nowhere)
    refuse(caller, array,
           fmt::format("begins in symmetric memory, but its {} B exceed it; {}", size_of(array),
                       caller.engine.symmetric().describe()));
  examine_block(caller, array);
}

void examine_symmetric(const Caller& caller, const Array& array) {
  if (caller.engine.buffers().find(caller.engine.rank(), array.data, size_of(array))) return;
  examine_address(caller, array);
  if (array.count == 0 || array.block == 0) return;
  const SymmetricMemory& memory = caller.engine.symmetric();
  const KindAccess* kinds = caller.engine.kind_access();
  if (memory.ranges().offset_of(array.data, size_of(array)) == SymmetricRanges::nowhere)
    refuse(caller, array,
           fmt::format("not symmetric memory for {} B{}", size_of(array),
                       why_not_symmetric(memory, array.data,
                                         kinds != nullptr ? kinds->device_at(array.data) : "")));
  examine_block(caller, array);
}

void examine_pe(const Caller& caller, int pe) {
  const std::uint32_t members = caller.team == nullptr ? caller.engine.ranks() : caller.team->size;
  if (pe >= 0 && static_cast<std::uint32_t>(pe) < members) return;
  if (caller.team == nullptr && caller.engine.rma().late().has_joined(rank_of(pe))) return;
  give_up(caller.name, fmt::format("argument pe is {}: {} has {} PE{}, 0 to {}{}", pe,
                                   caller.team == nullptr ? "this job" : "the team of this context",
                                   members, members == 1 ? "" : "s", members - 1,
                                   start_with_more(caller.engine.ranks(), pe)));
}

void examine_pes(const Caller& caller, const int* pes, std::size_t count) {
  if (!caller.checks_enabled()) return;
  examine_own(caller, {"target_pes", pes, sizeof(int), count});
  for (std::size_t i = 0; i < count; ++i) examine_pe(caller, pes[i]);
}

bool may_reach(const Caller& caller, int pe) {
  const DeathList& deaths = caller.engine.waiter().losses().list();
  const std::uint32_t count = deaths.size();
  if (count == 0) return true;
  const Rank rank = caller.rank_of(pe);
  if (!deaths.has(rank)) {
    caller.engine.waiter().losses().heed(count);
    return true;
  }
  caller.lane.note_loss(count);
  return false;
}

namespace {

void examine_arguments(const Caller& caller, const Array& theirs, const Array& own, int pe) {
  examine_pe(caller, pe);
  examine_symmetric(caller, theirs);
  examine_own(caller, own);
  if (theirs.count == 0 || theirs.stride != 1 || own.stride != 1) return;  // may interleave
  const Rank rank = caller.rank_of(pe);
  if (rank == caller.engine.rank()) examine_overlap(caller, theirs, theirs.data, own);
  // `own` may name the same memory by the address that shmem_ptr returns.
  if (const void* place = caller.engine.rma().pointer_to(rank, theirs.data); place != nullptr)
    examine_overlap(caller, theirs, place, own);
}

void examine_strides(const Caller& caller, const Array& theirs, const Array& own) {
  for (const Array& array : {theirs, own}) {
    const std::size_t least = std::max(array.block, std::size_t{1});
    if (array.stride < 1 || static_cast<std::size_t>(array.stride) < least)
      give_up(caller.name, fmt::format("argument {} is {}: expected a stride of {} or more",
                                       std::string_view(array.argument) == "dest" ? "dst" : "sst",
                                       array.stride, least));
  }
}

}  // namespace

bool examine_transfer(const Caller& caller, const Array& theirs, const Array& own, int pe) {
  if (caller.checks_enabled()) examine_arguments(caller, theirs, own, pe);
  return may_reach(caller, pe);
}

bool examine_strided(const Caller& caller, const Array& theirs, const Array& own, int pe) {
  if (caller.checks_enabled()) examine_strides(caller, theirs, own);
  return examine_transfer(caller, theirs, own, pe);
}

bool examine_put_signal(const Caller& caller, const Array& theirs, const Array& own,
                        const std::uint64_t* word, int pe) {
  if (caller.checks_enabled()) {
    const Array signal{"sig_addr", word, sizeof(*word)};
    examine_arguments(caller, theirs, own, pe);
    examine_symmetric(caller, signal);
    examine_overlap(caller, theirs, theirs.data, signal);
  }
  return may_reach(caller, pe);
}

bool examine_value(const Caller& caller, const Array& value, int pe) {
  if (caller.checks_enabled()) {
    examine_pe(caller, pe);
    examine_symmetric(caller, value);
  }
  return may_reach(caller, pe);
}

void examine_given(const Caller& caller, const char* argument, const void* data,
                   std::size_t count) {
  if (count > 0 && data == nullptr)
    give_up(caller.name, fmt::format("argument {} is null: expected the address of {} element{}",
                                     argument, count, count == 1 ? "" : "s"));
  examine_host(caller, {argument, data, 1, count});
}

void examine_waited(const Caller& caller, const Array& cells, const int* status) {
  examine_symmetric(caller, cells);
  const Array flags{"status", status, sizeof(*status), cells.count};
  examine_host(caller, flags);
  examine_overlap(caller, flags, flags.data, cells);
}

void examine_indices(const Caller& caller, const Array& cells, const int* status,
                     const std::size_t* indices) {
  examine_given(caller, "indices", indices, cells.count);
  const Array numbers{"indices", indices, sizeof(*indices), cells.count};
  examine_overlap(caller, numbers, numbers.data, cells);
  examine_overlap(caller, numbers, numbers.data, {"status", status, sizeof(*status), cells.count});
}

void examine_owner(const Caller& caller, const Context& context) {
  if ((context.options & SHMEM_CTX_PRIVATE) == 0) return;
  if (context.owner == std::this_thread::get_id()) return;
  give_up(caller.name,
          "argument ctx is a context with SHMEM_CTX_PRIVATE that another thread created: only that "
          "thread may use it");
}

void examine_bits(const Caller& caller, const char* argument, long value, long known,
                  const char* expected) {
  if ((value & ~known) != 0)
    give_up(caller.name, fmt::format("argument {} is {:#x}: expected 0 or {}", argument,
                                     static_cast<unsigned long>(value), expected));
}

namespace {

void refuse_dead(const Caller& caller, const Team& team) {
  const Losses& losses = caller.engine.waiter().losses();
  const std::uint32_t count = losses.list().size();
  if (count == 0) return;
  if (has_dead(losses.list(), team)) throw HopelessWait{count};
  losses.heed(count);
}

}  // namespace

void examine_collective(const Caller& caller, Team& team, const std::string& details) {
  refuse_dead(caller, team);
  if (!caller.checks_enabled()) return;
  const std::string mine = details.empty()
                               ? fmt::format("{} (team {})", caller.name, team.number)
                               : fmt::format("{} (team {}, {})", caller.name, team.number, details);
  if (const auto difference = caller.engine.collectives().compare_calls(team, caller.name, mine))
    give_up_together(caller.name, *difference);
}

void examine_collective(const Caller& caller, Team& team, const Array& dest, const Array& source,
                        const std::string& details) {
  examine_collective(caller, team,
                     caller.checks_enabled() ? describe_arrays(caller, dest, source, details) : "");
  if (caller.checks_enabled()) examine_arrays(caller, dest, source);
}

void examine_in_place(const Caller& caller, Team& team, const Array& dest, const Array& source,
                      const std::string& details) {
  examine_collective(caller, team,
                     caller.checks_enabled() ? describe_arrays(caller, dest, source, details) : "");
  if (caller.checks_enabled()) examine_arrays_in_place(caller, dest, source);
}

void examine_collect(const Caller& caller, Team& team, const Array& dest, const Array& source) {
  examine_collective(caller, team, fmt::format("elements of {} B", source.width));
  if (caller.checks_enabled()) examine_arrays(caller, dest, source);
}

void examine_arrays(const Caller& caller, const Array& dest, const Array& source) {
  examine_symmetric(caller, dest);
  examine_symmetric(caller, source);
  if (dest.stride != 1 || source.stride != 1) return;  // may interleave
  examine_overlap(caller, dest, dest.data, source);
}

void examine_arrays_in_place(const Caller& caller, const Array& dest, const Array& source) {
  if (dest.data == source.data)
    examine_symmetric(caller, dest);
  else
    examine_arrays(caller, dest, source);
}

}  // namespace gondwana::shmem
