// Addresses of events, as all ranks can tell them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/node_trace.hpp"

namespace gondwana::trace {

enum class SymmetricArea : std::uint8_t { heap, globals };

// The same on all ranks.
struct SymmetricPlace {
  SymmetricArea area;
  std::uint64_t offset;
};

// Nothing where the address is in no symmetric memory of the rank.
std::optional<SymmetricPlace> symmetric_place(const RankTrace& rank, std::uint64_t address);

// "heap+0x40", or the address.
std::string text_of_place(const RankTrace& rank, std::uint64_t address);

}  // namespace gondwana::trace
