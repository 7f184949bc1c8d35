#include "rank_paths.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "base/json_text.hpp"

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
std::string addresses_of(const CallPath& path, const Modules& modules) {
  std::string text;
  for (const void* address : path) {
    const Code* code = address != nullptr ? modules.find(address) : nullptr;
    if (code == nullptr) break;
    text += fmt::format(",[{},{}]", code->module,
                        reinterpret_cast<std::uintptr_t>(address) - code->base);
  }
  return text;
}

std::string list_of(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += (text.empty() ? "" : ",") + json_text(file);
  return text;
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

std::string RankPaths::as_json(double nanoseconds_per_tick) {
  Modules modules;
  ::dl_iterate_phdr(&add_module, &modules);
  std::string paths;
  const std::lock_guard lock(mutex_);
  for (const auto& table : tables_) {
    for (std::size_t place = 0; place < PathTable::size(); ++place) {
      const PathTable::Entry entry = table->entry_at(place);
      if (entry.calls == 0) continue;
      paths += fmt::format("{}[\"{}\",{},{:.0f},{}{}]", paths.empty() ? "" : ",\n",
                           call_names[entry.number], entry.calls,
                           static_cast<double>(entry.ticks) * nanoseconds_per_tick, entry.bytes,
                           addresses_of(entry.path, modules));
    }
  }
  return fmt::format("\"modules\":[{}],\n\"paths\":[{}]", list_of(modules.files), paths);
}

void RankPaths::clear() {
  const std::lock_guard lock(mutex_);
  free_.clear();
  tables_.clear();
}

}  // namespace gondwana::profile
