#include "memory/file_windows.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "core/mapping.hpp"

namespace gondwana {
namespace {

// A copy of an ArenaFile at one moment.
struct AnnouncedFile {
  std::int32_t process;
  std::int32_t descriptor;
  std::uint64_t device;
  std::uint64_t inode;
  std::size_t from;
  std::size_t offset;
  std::size_t room;
  std::size_t size;
};

// Nothing while it is being written: the version changes again afterwards.
std::optional<AnnouncedFile> read(const ArenaFile& file, std::uint32_t version) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const AnnouncedFile announced{file.process.load(relaxed), file.descriptor.load(relaxed),
                                file.device.load(relaxed),  file.inode.load(relaxed),
                                file.from.load(relaxed),    file.offset.load(relaxed),
                                file.room.load(relaxed),    file.size.load(relaxed)};
  std::atomic_thread_fence(std::memory_order_acquire);
  if (version % 2 != 0 || file.version.load(relaxed) != version) return std::nullopt;
  return announced;
}

std::string path_of(const AnnouncedFile& announced) {
  return fmt::format("/proc/{}/fd/{}", announced.process, announced.descriptor);
}

bool is_file(const struct stat& facts, const AnnouncedFile& announced) {
  return facts.st_dev == announced.device && facts.st_ino == announced.inode;
}

bool holds(const struct stat& facts, const AnnouncedFile& announced) {
  const auto size = static_cast<std::size_t>(facts.st_size);
  return round_up(size, page_size()) >= announced.from + announced.size;
}

bool is_shortened(const ArenaFile& file) {
  const std::optional<AnnouncedFile> announced =
      read(file, file.version.load(std::memory_order_acquire));
  if (!announced || announced->size == 0) return false;
  struct stat facts{};
  return ::stat(path_of(*announced).c_str(), &facts) == 0 && is_file(facts, *announced) &&
         !holds(facts, *announced);
}

// No descriptor has to travel: a process of the same user may open another's files. The number may
// belong to another file by now, or to another process.
Result<UniqueFd> open_announced(const AnnouncedFile& announced) {
  const std::string path = path_of(announced);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file)
    return Error{Errc::refused, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0 || !is_file(facts, announced))
    return Error{Errc::refused, fmt::format("{} is another file", path)};
  if (!holds(facts, announced))
    return Error{Errc::refused, fmt::format("{} has {} bytes, the mapping ends at {}", path,
                                            facts.st_size, announced.from + announced.size)};
  return file;
}

}  // namespace

FileWindows::FileWindows(const NodeMemory& memory)
    : memory_(memory), seen_(memory.roster().slots()) {}

Result<void> FileWindows::follow(Rank rank) {
  const std::scoped_lock lock(mutex_);
  Seen& seen = seen_[memory_.roster().slot_of(rank)];
  const std::uint32_t changes = memory_.files(rank).changes.load(std::memory_order_acquire);
  if (changes == seen.changes) return {};
  for (std::size_t number = 0; number < ArenaFiles::most; ++number)
    if (const Result<void> done = follow(rank, number, seen.versions[number]); !done) return done;
  seen.changes = changes;
  return {};
}

Result<void> FileWindows::follow(Rank rank, std::size_t number) {
  const std::scoped_lock lock(mutex_);
  return follow(rank, number, seen_[memory_.roster().slot_of(rank)].versions[number]);
}

std::optional<Rank> FileWindows::find_shortened() const {
  for (const Rank rank : memory_.roster().here())
    if (std::ranges::any_of(memory_.files(rank).list, is_shortened)) return rank;
  return std::nullopt;
}

Result<void> FileWindows::follow(Rank rank, std::size_t number, std::uint32_t& seen) const {
  const ArenaFile& file = memory_.files(rank).list[number];
  const std::uint32_t version = file.version.load(std::memory_order_acquire);
  if (version == seen) return {};
  const std::optional<AnnouncedFile> announced = read(file, version);
  if (!announced) return {};
  if (announced->size > 0) {
    const Result<UniqueFd> opened = open_announced(*announced);
    if (!opened) return opened.error();
    if (Result<void> laid =
            memory_.map_file(rank, announced->offset, *opened, announced->from, announced->size);
        !laid)
      return laid;
  }
  memory_.map_none(rank, announced->offset + announced->size, announced->room - announced->size);
  seen = version;
  return {};
}

}  // namespace gondwana
