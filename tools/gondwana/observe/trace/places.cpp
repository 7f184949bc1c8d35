#include "observe/trace/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gondwana::trace {

std::optional<SymmetricPlace> symmetric_place(const RankTrace& rank, std::uint64_t address) {
  if (address - rank.heap < rank.heap_size)
    return SymmetricPlace{SymmetricArea::heap, address - rank.heap};
  if (address - rank.globals < rank.globals_size)
    return SymmetricPlace{SymmetricArea::globals, address - rank.globals};
  return std::nullopt;
}

const SourceLine* line_of_call(const RankTrace& rank, const Event& event, Symbols& symbols) {
  if (event.site == 0) return nullptr;
  const auto site = std::ranges::lower_bound(rank.sites, event.site, {}, &Site::number);
  if (site == rank.sites.end() || site->number != event.site) return nullptr;
  if (site->module >= rank.modules.size()) return nullptr;
  const SourceLine& line = symbols.line(rank.modules[site->module].file, site->address);
  return line.function.empty() && line.place.empty() ? nullptr : &line;
}

PlaceNames::PlaceNames(const RankTrace& rank, Symbols& symbols) : rank_(rank), symbols_(symbols) {
  for (const ThreadTrace& thread : rank.threads)
    for (const Event& event : thread.events)
      if (event.kind == EventKind::allocation && !event.is_open && event.place != 0)
        blocks_[event.place].push_back(&event);
  for (auto& [address, events] : blocks_)
    std::ranges::sort(events, {}, [](const Event* event) { return event->end_ns(); });
}

std::string PlaceNames::text(const Event& event) {
  const std::optional<SymmetricPlace> place = symmetric_place(rank_, event.place);
  if (!place) {
    const SeenBuffer* buffer = find_buffer(rank_.buffers, event.place);
    return buffer != nullptr ? name_in_buffer(*buffer, event.place)
                             : fmt::format("{:#x}", event.place);
  }
  if (place->area == SymmetricArea::heap)
    return fmt::format(
        "heap+{:#x}{}", place->offset,
        event.kind != EventKind::allocation ? block_at(event.place, event.end_ns()) : "");
  const std::string name =
      rank_.modules.empty() ? "" : symbols_.variable(rank_.modules.front(), event.place);
  return name.empty() ? fmt::format("globals+{:#x}", place->offset) : name;
}

std::string_view PlaceNames::device(const Event& event) const {
  const SeenBuffer* buffer = find_buffer(rank_.buffers, event.place);
  return buffer != nullptr ? std::string_view(buffer->device) : "";
}

// Finds the newest allocation that contained the address at that time. Freed blocks may begin
// between the start of that allocation and the address.
std::string PlaceNames::block_at(std::uint64_t address, std::int64_t time_ns) {
  constexpr int max_samples = 32;
  const Event* block = nullptr;
  auto next = blocks_.upper_bound(address);
  for (int look = 0; next != blocks_.begin() && look < max_samples; ++look) {
    const std::vector<const Event*>& events = (--next)->second;
    const auto after = std::ranges::upper_bound(events, time_ns, {},
                                                [](const Event* event) { return event->end_ns(); });
    if (after == events.begin()) continue;
    const Event* last = *std::prev(after);
    if (address - last->place >= std::max<std::uint64_t>(last->bytes, 1)) continue;
    if (block == nullptr || last->end_ns() > block->end_ns()) block = last;
  }
  if (block == nullptr) return "";
  const SourceLine* line = line_of_call(rank_, *block, symbols_);
  const std::string from =
      line == nullptr ? "" : " from " + (line->place.empty() ? line->function : line->place);
  return fmt::format(" (byte {} of {}{})", address - block->place, block->bytes, from);
}

}  // namespace gondwana::trace
