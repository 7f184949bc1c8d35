#include "process/replacement.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "core/mapping.hpp"
#include "core/print_error.hpp"
#include "memory/death_list.hpp"

namespace gondwana {
namespace {

Replacement replacement_in(const Process& self) {
  return self.memory->header().replacement.load(std::memory_order_relaxed);
}

struct Addresses {
  std::uint64_t window = 0;
  std::uint64_t globals = 0;
  std::uint64_t library = 0;

  bool operator==(const Addresses&) const = default;
};

Addresses addresses_of(const Process& self) {
  const auto number = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  return {number(self.memory->window(self.membership.rank)), number(self.image.globals.data()),
          number(::gnu_get_libc_version())};
}

Addresses exchange(KeptHeap& kept, const Addresses& mine) {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {kept.window.exchange(mine.window, relaxed), kept.globals.exchange(mine.globals, relaxed),
          kept.library.exchange(mine.library, relaxed)};
}

// If the library is part of the program, its own variables lie there, too.
bool contains_library(const Process& self) {
  static constinit std::atomic<bool> variable{false};
  const auto* const at = reinterpret_cast<const std::byte*>(&variable);
  const MutableBytes globals = self.image.globals;
  return globals.data() <= at && at < globals.data() + globals.size();
}

}  // namespace

bool replaces_another(const Process& self) {
  return DeathList(*self.memory).awaits(self.membership.rank);
}

Result<Contents> prepare_variables(const Process& self) {
  if (replacement_in(self) != Replacement::kept) return Contents::copied;
  const Addresses mine = addresses_of(self);
  const Addresses before = exchange(self.memory->kept_heap(self.membership.rank), mine);
  const bool was_here = before != Addresses{};  // else the node of the former process is lost
  if (!replaces_another(self) || !was_here) return Contents::copied;
  if (mine == before && !contains_library(self)) return Contents::kept;
  print_error("gondwana: warning: rank {}: the variables of the former process are not kept: {}\n",
              self.rank(),
              mine == before ? "the library is linked statically"
                             : "the program lies at another address; allow the personality "
                               "ADDR_NO_RANDOMIZE, which some containers refuse");
  if (!empty_pages(self.memory->own_file(),
                   self.memory->place_in_own_file() + NodePlan::globals_offset,
                   self.image.globals.size()))
    return Error{Errc::refused, "cannot empty the variables of the former process"};
  return Contents::copied;
}

}  // namespace gondwana
