#include "front/gasnet/handler_table.hpp"

#include <fmt/format.h>

namespace gondwana::gasnet {
namespace {

constexpr gex_Flags_t category_flags = GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_SHORT;

}  // namespace

std::string HandlerTable::flaw_of(const gex_AM_Entry_t& entry) const {
  if (entry.gex_index != 0 && entry.gex_index < GEX_AM_INDEX_BASE)
    return fmt::format("index {} is below {}", entry.gex_index, GEX_AM_INDEX_BASE);
  if (entry.gex_fnptr == nullptr) return "the function is null";
  if (entry.gex_nargs > max_arguments && entry.gex_nargs != any_arguments)
    return fmt::format("{} arguments; the maximum is {}", entry.gex_nargs, max_arguments);
  const gex_Flags_t category = entry.gex_flags & category_flags;
  if (category == 0 || (entry.gex_flags & GEX_FLAG_AM_REQREP) == 0)
    return "the flags name no category (Short, Medium, Long), or neither Request nor Reply";
  if (entry.gex_index != 0 && entries_[entry.gex_index].gex_fnptr != nullptr)
    return fmt::format("index {} already has a handler", entry.gex_index);
  return {};
}

Result<void> HandlerTable::add(std::span<gex_AM_Entry_t> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const std::string problem = flaw_of(entries[i]); !problem.empty())
      return Error{Errc::invalid_argument, fmt::format("entry {}: {}", i, problem)};
    if (entries[i].gex_index != 0) entries_[entries[i].gex_index] = entries[i];
  }
  std::size_t index = entries_.size() - 1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].gex_index != 0) continue;
    while (index >= GEX_AM_INDEX_BASE && entries_[index].gex_fnptr != nullptr) --index;
    if (index < GEX_AM_INDEX_BASE)
      return Error{
          Errc::out_of_memory,
          fmt::format("entry {}: all indices from {} to 255 are taken", i, GEX_AM_INDEX_BASE)};
    entries[i].gex_index = static_cast<gex_AM_Index_t>(index);
    entries_[index] = entries[i];
  }
  return {};
}

}  // namespace gondwana::gasnet
