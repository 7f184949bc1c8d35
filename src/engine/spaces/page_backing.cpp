#include "engine/spaces/page_backing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/mapping.hpp"

namespace gondwana {
namespace {

// One line of /proc/self/maps.
struct MappedRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string access;  // for example "rw-p"
  std::uint64_t from = 0;
  unsigned major = 0;
  unsigned minor = 0;
  std::uint64_t inode = 0;
  bool is_main_stack = false;

  bool is_private() const { return access[3] == 'p'; }
  // Whether this range continues `before`, both in memory and in the file.
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
  range.is_main_stack = rest.ends_with("[stack]");
  return range.access.size() == 4;
}

Error unsuitable(Bytes pages, std::string_view why) {
  return {Errc::invalid_argument,
          fmt::format("{} bytes at {}: {}", pages.size(), fmt::ptr(pages.data()), why)};
}

// Recognizes the stack of the calling thread, and of a coroutine that it runs. /proc/self/maps
// marks the stack of the main thread. Stacks of other threads cannot be distinguished from other
// memory.
bool is_own_stack(Bytes pages) {
  const auto holds = [pages](const void* place) {
    return std::less_equal<>()(pages.data(), static_cast<const std::byte*>(place)) &&
           std::less<>()(static_cast<const std::byte*>(place), pages.data() + pages.size());
  };
  if (holds(__builtin_frame_address(0))) return true;
  pthread_attr_t facts;
  if (::gettid() == ::getpid() || ::pthread_getattr_np(::pthread_self(), &facts) != 0) return false;
  void* first = nullptr;
  std::size_t size = 0;
  ::pthread_attr_getstack(&facts, &first, &size);
  ::pthread_attr_destroy(&facts);
  const auto* stack = static_cast<const std::byte*>(first);
  return std::less<>()(stack, pages.data() + pages.size()) &&
         std::less<>()(pages.data(), stack + size);
}

Error stack_in_use(Bytes pages) {
  return unsuitable(pages,
                    "part of it is the stack of a thread, whose pages are in use and cannot be "
                    "replaced; use memory from malloc or mmap");
}

bool is_open_on(int descriptor, const MappedRange& range) {
  struct stat facts{};
  return ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_ino == range.inode && facts.st_dev == makedev(range.major, range.minor) &&
         (::fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR;
}

// Duplicates a descriptor of the mapped file. Empty if the process has closed the file.
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

// Other processes map the file, so it must extend to the end of the pages.
Result<PageBacking> open_shared(Bytes pages, const MappedRange& range) {
  PageBacking found{find_file(range),
                    range.from + (reinterpret_cast<std::uintptr_t>(pages.data()) - range.begin)};
  if (!found.file)
    return unsuitable(pages,
                      "shared memory (MAP_SHARED) of a file that this process does not have open "
                      "for reading and writing, so peers cannot map it; keep the descriptor open "
                      "until the memory is shared with peers, or use private memory");
  struct stat facts{};
  ::fstat(found.file.get(), &facts);
  if (round_up(static_cast<std::size_t>(facts.st_size), page_size()) < found.from + pages.size())
    return unsuitable(pages, "the mapped file is too short");
  return found;
}

}  // namespace

Result<PageBacking> examine_pages(Bytes pages) {
  if (is_own_stack(pages)) return stack_in_use(pages);
  std::ifstream maps("/proc/self/maps");
  if (!maps)
    return unsuitable(
        pages, fmt::format("cannot determine whether it is shared: /proc/self/maps: {}{}",
                           std::strerror(errno), errno == EMFILE ? "; raise ulimit -n" : ""));
  MappedRange range;
  MappedRange first;  // the first range, extended by the ranges that continue it
  std::uintptr_t known =
      reinterpret_cast<std::uintptr_t>(pages.data());  // everything before this address is suitable
  const std::uintptr_t end = known + pages.size();
  if (end < known) return unsuitable(pages, "part of it is not mapped");
  while (known < end && read(maps, range)) {
    if (range.end <= known) continue;
    if (range.begin > known) break;
    if (range.is_main_stack) return stack_in_use(pages);
    if (!range.access.starts_with("rw"))
      return unsuitable(pages, "part of it is not readable and writable");
    if (first.end == 0)
      first = range;
    else if (first.is_private() != range.is_private() ||
             (!range.is_private() && !range.continues(first)))
      return unsuitable(pages,
                        "part of it is shared memory (MAP_SHARED), and another part is private or "
                        "of another file; create a segment for each");
    first.end = known = range.end;
  }
  if (known < end) return unsuitable(pages, "part of it is not mapped");
  if (first.is_private()) return PageBacking{};
  return open_shared(pages, first);
}

namespace {

// The range of their file in which `pages` are; empty: in no file, or not in one piece.
std::optional<MappedRange> place_in_file(Bytes pages) {
  std::ifstream maps("/proc/self/maps");
  MappedRange range;
  MappedRange whole;
  const auto begin = reinterpret_cast<std::uintptr_t>(pages.data());
  const std::uintptr_t end = begin + pages.size();
  while (whole.end < end && read(maps, range)) {
    if (range.end <= begin) continue;
    if (range.begin > begin && !range.continues(whole)) return std::nullopt;
    if (range.begin <= begin) {
      whole = range;
      whole.from += begin - range.begin;
      whole.begin = begin;
    }
    whole.end = range.end;
  }
  if (whole.end < end || whole.inode == 0 || whole.is_private()) return std::nullopt;
  return whole;
}

}  // namespace

bool are_same_pages(Bytes one, Bytes other) {
  const auto first = place_in_file(one);
  const auto second = place_in_file(other);
  return first && second && first->inode == second->inode && first->major == second->major &&
         first->minor == second->minor && first->from == second->from;
}

}  // namespace gondwana
