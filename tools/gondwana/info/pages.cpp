#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/mapping.hpp"
#include "core/node_plan.hpp"
#include "core/types.hpp"
#include "info/sections.hpp"

namespace gondwana::info {
namespace {

constexpr const char* huge_pages = "/sys/kernel/mm/hugepages";
constexpr const char* transparent_huge_pages = "/sys/kernel/mm/transparent_hugepage";

template <typename Number>
Number number_in(const std::filesystem::path& file) {
  Number value{};
  std::ifstream(file) >> value;
  return value;
}

// Pages that the administrator has set aside, one fact for each size.
void add_reserved(Section& section) {
  constexpr std::string_view prefix = "hugepages-";
  std::error_code failure;
  for (const auto& folder : std::filesystem::directory_iterator(huge_pages, failure)) {
    const std::string name = folder.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const std::size_t kib = std::strtoull(name.c_str() + prefix.size(), nullptr, 10);
    section.facts.push_back(
        number(fmt::format("reserved, of {}", format_size(kib << 10)),
               number_in<std::uint64_t>(folder.path() / "nr_hugepages"),
               fmt::format("{} free", number_in<std::uint64_t>(folder.path() / "free_hugepages"))));
  }
}

// The kernel marks the word that counts: "always within_size advise [never] deny force".
Fact setting(std::string_view name, std::string_view file) {
  const std::filesystem::path path = std::filesystem::path(transparent_huge_pages) / file;
  std::ifstream opened(path);
  std::string words;
  std::getline(opened, words);
  const std::size_t start = words.find('[');
  const std::size_t end = words.find(']');
  if (start == std::string::npos || end == std::string::npos)
    return without_value(name, "unknown", "the kernel does not say");
  return word(name, words.substr(start + 1, end - start - 1), path.string());
}

// Whether the memory named `label` has a huge page, as the kernel counts them for this process.
bool has_huge_page(const std::string& label) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(label) != std::string::npos) inside = true;
    constexpr std::string_view counter = "ShmemPmdMapped:";
    if (inside && line.starts_with(counter))
      return std::strtoull(line.c_str() + counter.size(), nullptr, 10) != 0;
  }
  return false;
}

// The size of the pages that shared memory gets in fact: some is mapped as arenas are, and touched.
std::optional<std::size_t> size_obtained() {
  const char* label = "gondwana-pages";
  Result<UniqueFd> memory = create_memfd(label, huge_page);
  Result<Mapping> range = Mapping::reserve(nullptr, 2 * huge_page);
  if (!memory || !range) return std::nullopt;
  const auto address = reinterpret_cast<std::uintptr_t>(range->data());
  const std::size_t offset = round_up(address, huge_page) - address;
  if (!range->overlay(offset, *memory, huge_page)) return std::nullopt;
  std::memset(range->data() + offset, 1, huge_page);
  return has_huge_page(label) ? huge_page : page_size();
}

Fact obtained() {
  constexpr std::string_view name = "shared memory";
  const std::optional<std::size_t> bytes = size_obtained();
  if (!bytes) return without_value(name, "unknown", "some could not be mapped");
  return size(name, *bytes, "what ranks get, tried");
}

}  // namespace

Section pages() {
  Section section{"pages", {size("base", page_size()), obtained()}};
  section.facts.push_back(setting("transparent huge pages, private", "enabled"));
  section.facts.push_back(setting("transparent huge pages, shared", "shmem_enabled"));
  add_reserved(section);
  return section;
}

}  // namespace gondwana::info
