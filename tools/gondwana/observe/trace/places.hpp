// Converts addresses in events to locations that all ranks share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/trace/node_trace.hpp"
#include "observe/trace/symbols.hpp"

namespace gondwana::trace {

enum class SymmetricArea : std::uint8_t { heap, globals };

// A location that is the same on all ranks.
struct SymmetricPlace {
  SymmetricArea area;
  std::uint64_t offset;

  friend auto operator<=>(const SymmetricPlace&, const SymmetricPlace&) = default;
};

// Nothing if the address is not in symmetric memory of the rank.
std::optional<SymmetricPlace> symmetric_place(const RankTrace& rank, std::uint64_t address);

// The call site in the program; null if it is unknown.
const SourceLine* line_of_call(const RankTrace& rank, const Event& event, Symbols& symbols);

// Names the addresses of a rank. It knows only the heap blocks whose allocation is still among the
// events.
class PlaceNames {
 public:
  PlaceNames(const RankTrace& rank, Symbols& symbols);

  // "flag", "table+16", "heap+0x118 (byte 24 of 64 from main, heat.c:41)", "memory of
  // emulated:0+0x40", or the address.
  std::string text(const Event& event);
  // Returns "emulated:0"; empty if the address is not known to be on a device.
  std::string_view device(const Event& event) const;

 private:
  std::string block_at(std::uint64_t address, std::int64_t time_ns);

  const RankTrace& rank_;
  Symbols& symbols_;
  std::map<std::uint64_t, std::vector<const Event*>> blocks_;  // by address, then by time
};

}  // namespace gondwana::trace
