#include "rank_paths.hpp"

#include <link.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

namespace gondwana::profile {
namespace {

struct Code {
  std::size_t module;
  std::uintptr_t base;
  std::uintptr_t begin;
  std::uintptr_t end;
};

// The code segments of the program and of its libraries.
struct Modules {
  std::vector<std::string> files;
  std::vector<Code> code;

  const Code* find(const void* address) const {
    // A return address points after the call.
    const std::uintptr_t call = reinterpret_cast<std::uintptr_t>(address) - 1;
    const auto found = std::ranges::find_if(
        code, [&](const Code& part) { return call >= part.begin && call < part.end; });
    return found != code.end() ? &*found : nullptr;
  }
};

int add_module(dl_phdr_info* module, std::size_t /*size*/, void* argument) {
  auto& modules = *static_cast<Modules*>(argument);
  for (const auto& part : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + part.p_vaddr;
    modules.code.push_back({modules.files.size(), module->dlpi_addr, begin, begin + part.p_memsz});
  }
  std::error_code failure;
  const std::string name = module->dlpi_name;
  modules.files.push_back(
      name.empty() ? std::filesystem::read_symlink("/proc/self/exe", failure).string() : name);
  return 0;
}

// Stops at the first address that is not code.
void append_addresses(const CallPath& path, const Modules& modules, Json& list) {
  for (const void* address : path) {
    const Code* code = address != nullptr ? modules.find(address) : nullptr;
    if (code == nullptr) return;
    list.push_back({code->module, reinterpret_cast<std::uintptr_t>(address) - code->base});
  }
}

}  // namespace

PathTable* RankPaths::lease() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return tables_.emplace_back(std::make_unique<PathTable>()).get();
  PathTable* table = free_.back();
  free_.pop_back();
  return table;
}

void RankPaths::give_back(PathTable* table) {
  const std::lock_guard lock(mutex_);
  free_.push_back(table);
}

Json RankPaths::as_json(double nanoseconds_per_tick) {
  Modules modules;
  ::dl_iterate_phdr(&add_module, &modules);
  Json paths = Json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& table : tables_) {
    for (std::size_t place = 0; place < PathTable::size(); ++place) {
      const PathTable::Entry entry = table->entry_at(place);
      if (entry.calls == 0) continue;
      const double nanoseconds = static_cast<double>(entry.ticks) * nanoseconds_per_tick;
      Json& path = paths.emplace_back(Json::array(
          {call_names[entry.number], entry.calls, std::llround(nanoseconds), entry.bytes}));
      append_addresses(entry.path, modules, path);
    }
  }
  return {{"modules", modules.files}, {"paths", std::move(paths)}};
}

void RankPaths::clear() {
  const std::lock_guard lock(mutex_);
  free_.clear();
  tables_.clear();
}

}  // namespace gondwana::profile
