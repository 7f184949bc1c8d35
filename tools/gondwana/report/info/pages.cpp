#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/mapping.hpp"
#include "core/options.hpp"
#include "core/types.hpp"
#include "core/variables.hpp"
#include "memory/node_plan.hpp"
#include "report/info/sections.hpp"

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

// Adds the reserved huge pages, one fact for each size.
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

// The kernel marks the active word: "always within_size advise [never] deny force".
Fact setting(std::string_view name, std::string_view file) {
  const std::filesystem::path path = std::filesystem::path(transparent_huge_pages) / file;
  std::ifstream opened(path);
  std::string words;
  std::getline(opened, words);
  const std::size_t start = words.find('[');
  const std::size_t end = words.find(']');
  if (start == std::string::npos || end == std::string::npos)
    return without_value(name, "unknown", "the kernel does not report it");
  return word(name, words.substr(start + 1, end - start - 1), path.string());
}

// The bytes that smaps reports under `entry` for the memory `label` of this process.
std::size_t counted(const std::string& label, std::string_view entry) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(label) != std::string::npos) inside = true;
    if (inside && line.starts_with(entry))
      return std::strtoull(line.c_str() + entry.size(), nullptr, 10) << 10;
  }
  return 0;
}

// The actual page size of shared memory, found by mapping some memory like an arena and touching
// it.
std::optional<std::size_t> size_obtained() {
  const char* label = "gondwana-pages";
  Result<UniqueFd> memory = create_memfd(label, huge_page);
  Result<Mapping> range = Mapping::reserve(nullptr, 2 * huge_page);
  if (!memory || !range) return std::nullopt;
  const auto address = reinterpret_cast<std::uintptr_t>(range->data());
  const std::size_t offset = round_up(address, huge_page) - address;
  if (!range->overlay(offset, *memory, huge_page)) return std::nullopt;
  std::memset(range->data() + offset, 1, huge_page);
  return counted(label, "ShmemPmdMapped:") > 0 ? huge_page : page_size();
}

Fact obtained() {
  constexpr std::string_view name = "shared memory";
  const std::optional<std::size_t> bytes = size_obtained();
  if (!bytes) return without_value(name, "unknown", "some could not be mapped");
  return size(name, *bytes, "memory of ranks, tested");
}

// The page size of a heap when GONDWANA_HUGETLB requests reserved pages.
Fact obtained_by_heaps() {
  constexpr std::string_view name = "heaps";
  const char* label = "gondwana-heap-pages";
  const Result<UniqueFd> memory = create_huge_memfd(label, huge_page);
  if (!memory)
    return without_value(name, "as shared memory", "GONDWANA_HUGETLB: " + memory.error().text);
  const Result<Mapping> mapping = Mapping::shared(*memory, huge_page);
  if (!mapping) return without_value(name, "unknown", mapping.error().text);
  *mapping->data() = std::byte{1};
  return size(name, counted(label, "KernelPageSize:"),
              "memory of ranks with GONDWANA_HUGETLB, tested");
}

}  // namespace

Section pages() {
  Section section{"pages", {size("base", page_size()), obtained()}};
  section.facts.push_back(setting("transparent huge pages, private", "enabled"));
  section.facts.push_back(setting("transparent huge pages, shared", "shmem_enabled"));
  const Result<Options> options = read_options(own_environment());
  if (options && options->hugetlb) section.facts.push_back(obtained_by_heaps());
  add_reserved(section);
  return section;
}

}  // namespace gondwana::info
