#include "front/gasnet/client_pages.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "core/mapping.hpp"

namespace gondwana::gasnet {
namespace {

// One line of /proc/self/maps.
struct MappedRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string access;  // such as "rw-p"
  std::uint64_t from = 0;
  unsigned major = 0;
  unsigned minor = 0;
  std::uint64_t inode = 0;

  bool is_private() const { return access[3] == 'p'; }
  // Whether it goes on where `before` ends, in memory as in the file.
  bool continues(const MappedRange& before) const {
    return begin == before.end && inode == before.inode && major == before.major &&
           minor == before.minor && from == before.from + (before.end - before.begin);
  }
};

bool read(std::istream& maps, MappedRange& range) {
  char mark = 0;
  std::string rest;
  if (!(maps >> std::hex >> range.begin >> mark >> range.end >> range.access >> range.from >>
        range.major >> mark >> range.minor >> std::dec >> range.inode))
    return false;
  std::getline(maps, rest);
  return range.access.size() == 4;
}

Error unsuitable(Bytes pages, const char* why) {
  return {Errc::invalid_argument,
          fmt::format("{} bytes at {}: {}", pages.size(), fmt::ptr(pages.data()), why)};
}

bool is_open_on(int descriptor, const MappedRange& range) {
  struct stat facts{};
  return ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_ino == range.inode && facts.st_dev == makedev(range.major, range.minor) &&
         (::fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR;
}

// A copy of a descriptor of the mapped file; none where the process has it open no more.
UniqueFd find_file(const MappedRange& range) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir("/proc/self/fd"), &::closedir);
  if (open == nullptr) return {};
  while (const dirent* entry = ::readdir(open.get())) {
    const int descriptor = std::atoi(entry->d_name);
    if (entry->d_name[0] == '.' || !is_open_on(descriptor, range)) continue;
    return UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  }
  return {};
}

// Who maps the file elsewhere must find all of it.
Result<ClientPages> open_shared(Bytes pages, const MappedRange& range) {
  ClientPages found{find_file(range),
                    range.from + (reinterpret_cast<std::uintptr_t>(pages.data()) - range.begin)};
  if (!found.file)
    return unsuitable(pages,
                      "shared memory (MAP_SHARED) of no file that this process has open for "
                      "reading and writing, so peers cannot map it; keep the descriptor open until "
                      "the segment is created, use private memory, or pass a null address");
  struct stat facts{};
  ::fstat(found.file.get(), &facts);
  if (round_up(static_cast<std::size_t>(facts.st_size), page_size()) < found.from + pages.size())
    return unsuitable(pages, "the mapped file ends before them");
  return found;
}

}  // namespace

Result<ClientPages> examine_client_pages(Bytes pages) {
  std::ifstream maps("/proc/self/maps");
  MappedRange range;
  MappedRange first;  // the one in which the pages begin; then as far as it is known to go on
  std::uintptr_t known = reinterpret_cast<std::uintptr_t>(pages.data());  // good up to here
  const std::uintptr_t end = known + pages.size();
  bool any = false;
  while (known < end && read(maps, range)) {
    any = true;
    if (range.end <= known) continue;
    if (range.begin > known) break;
    if (!range.access.starts_with("rw"))
      return unsuitable(pages, "part of it may not be read and written");
    if (first.end == 0)
      first = range;
    else if (first.is_private() != range.is_private() ||
             (!range.is_private() && !range.continues(first)))
      return unsuitable(pages,
                        "a part of it is shared memory (MAP_SHARED) and another is not, or is of "
                        "another file; make a segment of each");
    first.end = known = range.end;
  }
  if (!any) return unsuitable(pages, "cannot tell whether it is shared: no /proc/self/maps");
  if (known < end) return unsuitable(pages, "part of it is not mapped");
  if (first.is_private()) return ClientPages{};
  return open_shared(pages, first);
}

}  // namespace gondwana::gasnet
