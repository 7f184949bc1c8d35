#include "front/gasnet/client_pages.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace gondwana::gasnet {
namespace {

// One line of /proc/self/maps.
struct MappedRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string access;  // such as "rw-p"
};

bool read(std::istream& maps, MappedRange& range) {
  char dash = 0;
  std::string rest;
  if (!(maps >> std::hex >> range.begin >> dash >> range.end >> range.access)) return false;
  std::getline(maps, rest);
  return range.access.size() == 4;
}

Error unsuitable(Bytes pages, const char* why) {
  return {Errc::invalid_argument,
          fmt::format("{} bytes at {}: {}", pages.size(), fmt::ptr(pages.data()), why)};
}

}  // namespace

Result<void> examine_client_pages(Bytes pages) {
  std::ifstream maps("/proc/self/maps");
  MappedRange range;
  std::uintptr_t known = reinterpret_cast<std::uintptr_t>(pages.data());  // good up to here
  const std::uintptr_t end = known + pages.size();
  bool any = false;
  while (known < end && read(maps, range)) {
    any = true;
    if (range.end <= known) continue;
    if (range.begin > known) break;
    if (range.access[3] != 'p')
      return unsuitable(pages,
                        "part of it is shared memory (MAP_SHARED), which a segment would take "
                        "away from its other mappings; use private memory, or pass a null address");
    if (!range.access.starts_with("rw"))
      return unsuitable(pages, "part of it may not be read and written");
    known = range.end;
  }
  if (!any) return unsuitable(pages, "cannot tell whether it is shared: no /proc/self/maps");
  if (known < end) return unsuitable(pages, "part of it is not mapped");
  return {};
}

}  // namespace gondwana::gasnet
