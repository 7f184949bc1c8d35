#include "engine/spaces/shown_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <utility>

#include "core/mapping.hpp"

namespace gondwana {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

ShownFiles::ShownFiles(const NodeMemory& memory, SegmentSpace& space, Rank me)
    : memory_(memory), space_(space), me_(me), windows_(memory) {}

// Prefers the smallest released place that is large enough, then a new place. Null: none is left.
// Used ranges never return to the segment allocator, because a peer may still map the old file.
ArenaFile* ShownFiles::find_place(std::size_t size) {
  ArenaFile* best = nullptr;
  ArenaFile* fresh = nullptr;
  for (ArenaFile& place : mine().list) {
    const std::size_t room = place.room.load(relaxed);
    if (room == 0 && fresh == nullptr) fresh = &place;
    if (place.size.load(relaxed) > 0 || room < size) continue;
    if (best == nullptr || room < best->room.load(relaxed)) best = &place;
  }
  if (best != nullptr || fresh == nullptr) return best;
  // With powers of two, a segment that grows repeatedly reuses a few ranges.
  std::optional<MutableBytes> range = space_.allocate(std::bit_ceil(size));
  if (!range) range = space_.allocate(size);
  if (!range) return nullptr;
  const std::byte* arena = memory_.window(me_);
  fresh->offset.store(static_cast<std::uint64_t>(range->data() - arena), relaxed);
  fresh->room.store(range->size(), relaxed);
  return fresh;
}

Result<ShownFiles::Placement> ShownFiles::show(UniqueFd file, std::size_t from, std::size_t size) {
  ArenaFile* place = find_place(size);
  if (place == nullptr)
    return Error{Errc::out_of_memory,
                 fmt::format("cannot create a segment of {} on a shared mapping: no space is left, "
                             "or the process already has {} of these segments",
                             format_size(size), ArenaFiles::most)};
  const auto number = static_cast<std::size_t>(place - mine().list.data());
  files_[number] = std::move(file);
  if (const Result<void> written = write(*place, number, from, size); !written) {
    withdraw(number);
    return written.error();
  }
  return Placement{number, place->offset.load(relaxed)};
}

Result<void> ShownFiles::write(ArenaFile& place, std::size_t number, std::size_t from,
                               std::size_t size) {
  struct stat facts{};
  ::fstat(files_[number].get(), &facts);
  place.version.fetch_add(1, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  place.process.store(::getpid(), relaxed);
  place.descriptor.store(files_[number].get(), relaxed);
  place.device.store(facts.st_dev, relaxed);
  place.inode.store(facts.st_ino, relaxed);
  place.from.store(from, relaxed);
  place.size.store(size, relaxed);
  tell(place);
  return windows_.follow(me_, number);
}

void ShownFiles::withdraw(std::size_t number) {
  ArenaFile& place = mine().list[number];
  place.version.fetch_add(1, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  place.size.store(0, relaxed);
  tell(place);
  // This opens no file, so it cannot fail.
  [[maybe_unused]] const Result<void> gone = windows_.follow(me_, number);
  files_[number].reset();
}

// Informs peers, and wakes the agent, which may sleep on its descriptors.
void ShownFiles::tell(ArenaFile& place) const {
  place.version.fetch_add(1, std::memory_order_release);  // pairs with FileWindows
  mine().changes.fetch_add(1, std::memory_order_release);
  NodeHeader& header = memory_.header();
  header.files_asked.fetch_add(1, std::memory_order_release);
  if (header.files_served.load(relaxed) == 0) return;
  constexpr std::uint64_t once = 1;
  [[maybe_unused]] const ssize_t rung = ::write(memory_.agent_bell(), &once, sizeof(once));
}

bool ShownFiles::has_reached_agent(std::size_t number) const {
  const ArenaFile& place = mine().list[number];
  return memory_.header().files_served.load(relaxed) == 0 ||
         place.laid.load(std::memory_order_acquire) == place.version.load(relaxed);
}

bool ShownFiles::is_refused_by_agent(std::size_t number) const {
  return memory_.header().files_served.load(relaxed) != 0 &&
         mine().list[number].trouble.load(relaxed) != 0;
}

}  // namespace gondwana
