#include "trace/places.hpp"

#include <fmt/format.h>

namespace gondwana::trace {

std::optional<SymmetricPlace> symmetric_place(const RankTrace& rank, std::uint64_t address) {
  if (address - rank.heap < rank.heap_size)
    return SymmetricPlace{SymmetricArea::heap, address - rank.heap};
  if (address - rank.globals < rank.globals_size)
    return SymmetricPlace{SymmetricArea::globals, address - rank.globals};
  return std::nullopt;
}

std::string text_of_place(const RankTrace& rank, std::uint64_t address) {
  const std::optional<SymmetricPlace> place = symmetric_place(rank, address);
  if (!place) return fmt::format("{:#x}", address);
  return fmt::format("{}+{:#x}", place->area == SymmetricArea::heap ? "heap" : "globals",
                     place->offset);
}

}  // namespace gondwana::trace
