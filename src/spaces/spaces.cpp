#include "spaces/spaces.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "memory/shown_memory.hpp"

namespace gondwana {
namespace {

bool is_removed(const SpaceRow& row) {
  return row.size.load(std::memory_order_relaxed) == 0;
}

// Ends the sharing of a removed row, which keeps its handle until then.
void unshare(const Kind*& kind, const SpaceRow& row) {
  SharedHandle handle{};
  for (std::size_t i = 0; i < handle.size(); ++i)
    handle.at(i) = row.handle.at(i).load(std::memory_order_relaxed);
  std::exchange(kind, nullptr)->unshare(handle);
}

std::string name_of(Space space) {
  return fmt::format("space {} of rank {}", index(space.id), index(space.rank));
}

}  // namespace

SpaceViews::~SpaceViews() {
  for (auto& [place, known] : known_) unmap(known);
}

void SpaceViews::unmap(Known& known) {
  if (known.viewers != nullptr) {
    known.view.kind->unmap(known.view.memory);
    known.viewers->count.fetch_sub(1);
  }
  known = {};
}

// Reads the row only once, because a rank writes its table and may damage it.
Result<void> SpaceViews::follow(Known& known, Space space) {
  const std::optional<SpaceInfo> info = read_space(space_row(memory_.window(space.rank), space.id));
  if (info && info->version == known.version && info->process == known.process) return {};
  unmap(known);
  if (!info) return Error{Errc::invalid_argument, fmt::format("{} does not exist", name_of(space))};
  const Result<Kind*> kind = kinds_.find(info->device);
  if (!kind) return kind.error();
  const MutableBytes own(reinterpret_cast<std::byte*>(info->address), info->size);
  if (info->process == ::getpid() && (*kind)->holds(own)) {
    known = {info->version, info->process, {*kind, own}};
    return {};
  }
  const Result<Known> mapped = map(**kind, *info, space);
  if (!mapped) return mapped.error();
  known = *mapped;
  return {};
}

// The rank removes a space before it checks whether a process has mapped it. So this process counts
// itself before it checks whether the space exists.
Result<SpaceViews::Known> SpaceViews::map(Kind& kind, const SpaceInfo& info, Space space) const {
  std::byte* window = memory_.window(space.rank);
  SpaceViewers& viewers = space_viewers(window, space.id);
  viewers.count.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with OwnSpaces::clear()
  const bool is_there =
      space_row(window, space.id).version.load(std::memory_order_relaxed) == info.version;
  const Result<MutableBytes> mapped =
      is_there ? kind.map(info.handle, info.size)
               : Error{Errc::invalid_argument, "it was removed in the meantime"};
  if (mapped) return Known{info.version, info.process, {&kind, *mapped}, &viewers};
  viewers.count.fetch_sub(1);
  return Error{mapped.error().code,
               fmt::format("{}, on {}: {}", name_of(space), gondwana::name_of(info.device),
                           mapped.error().text)};
}

Result<DeviceView> SpaceViews::find(Remote place, std::size_t size) {
  const std::scoped_lock lock(mutex_);
  sweep_if_asked();
  Known& known = known_[{index(place.rank), index(place.space)}];
  if (const Result<void> followed = follow(known, place.owner()); !followed)
    return followed.error();
  const MutableBytes memory = known.view.memory;
  if (place.offset > memory.size() || size > memory.size() - place.offset)
    return Error{Errc::invalid_argument,
                 fmt::format("{} B at offset {} of {}: it has {} B", size, place.offset,
                             name_of(place.owner()), memory.size())};
  return DeviceView{known.view.kind, memory.subspan(place.offset, size)};
}

void SpaceViews::forget(Space space) {
  const std::scoped_lock lock(mutex_);
  const auto known = known_.find({index(space.rank), index(space.id)});
  if (known == known_.end()) return;
  unmap(known->second);
  known_.erase(known);
}

void SpaceViews::sweep() {
  const std::scoped_lock lock(mutex_);
  sweep_if_asked();
}

void SpaceViews::sweep_if_asked() {
  const std::uint32_t asked = memory_.header().files_asked.load(std::memory_order_acquire);
  if (asked == swept_) return;
  swept_ = asked;
  for (auto entry = known_.begin(); entry != known_.end();) {
    auto& [place, known] = *entry;
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
    const Space space{Rank(place.first), SpaceId(place.second)};
    const auto info = read_space(space_row(memory_.window(space.rank), space.id));
    const bool stays = info && info->version == known.version && info->process == known.process;
    if (!stays) unmap(known);
    entry = stays ? std::next(entry) : known_.erase(entry);
  }
}

// NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name

// Peers that end also unmap the memory. The wait is limited, because a killed peer does not.
OwnSpaces::~OwnSpaces() {
  for (std::uint32_t number = 1; number < kinds_.size(); ++number) clear(SpaceId(number));
  const auto is_one_mapped = [this] {
    for (std::uint32_t number = 1; number < kinds_.size(); ++number)
      if (is_mapped(SpaceId(number))) return true;
    return false;
  };
  constexpr int max_waits = 500;
  for (int i = 0; i < max_waits && is_one_mapped(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (std::uint32_t number = 1; number < kinds_.size(); ++number)
    if (kinds_[number] != nullptr) unshare(kinds_[number], row(SpaceId(number)));
  for (const Left& each : left_) each.kind->release(each.memory);
}

// A number whose old space peers still map is reused only if no other is free.
SpaceId OwnSpaces::find_free() const {
  auto found = static_cast<std::uint32_t>(kinds_.size());
  for (std::uint32_t number = 1; number < kinds_.size(); ++number) {
    if (kinds_[number] != nullptr && !is_removed(row(SpaceId(number)))) continue;
    if (!is_mapped(SpaceId(number))) return SpaceId(number);
    if (kinds_.size() == max_spaces) found = number;
  }
  return SpaceId(found);
}

// NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)

Result<SpaceId> OwnSpaces::add(Kind& kind, MutableBytes memory) {
  const std::scoped_lock lock(mutex_);
  release_unmapped();
  const SpaceId id = find_free();
  if (index(id) == max_spaces)
    return Error{
        Errc::out_of_memory,
        fmt::format("this rank already has {} device spaces, which is the limit", max_spaces - 1)};
  const Result<SharedHandle> handle = kind.share(memory);
  if (!handle) return handle.error();
  kinds_.resize(std::max<std::size_t>(kinds_.size(), index(id) + 1));
  if (kinds_.at(index(id)) != nullptr) unshare(kinds_.at(index(id)), row(id));
  kinds_.at(index(id)) = &kind;
  write_space(row(id), {.version = 0,
                        .device = kind.device(),
                        .process = ::getpid(),
                        .size = memory.size(),
                        .address = reinterpret_cast<std::uintptr_t>(memory.data()),
                        .handle = *handle});
  show_buffer(shown_memory(memory_.page(me_)), memory, gondwana::name_of(kind.device()));
  tell_agent();
  return id;
}

// Uses the bell and the counter of ShownFiles.
void OwnSpaces::tell_agent() const {
  NodeHeader& header = memory_.header();
  header.files_asked.fetch_add(1, std::memory_order_release);  // pairs with SpaceRequests::follow()
  if (header.files_served.load(std::memory_order_relaxed) == 0) return;
  constexpr std::uint64_t once = 1;
  [[maybe_unused]] const ssize_t rung = ::write(memory_.agent_bell(), &once, sizeof(once));
}

bool OwnSpaces::has_reached_agent(SpaceId id) const {
  const SpaceRow& space = row(id);
  const std::uint32_t seen = space.seen_by_agent.load(std::memory_order_acquire);
  return memory_.header().files_served.load(std::memory_order_relaxed) == 0 ||
         (seen & ~1U) == space.version.load(std::memory_order_relaxed);
}

bool OwnSpaces::is_refused_by_agent(SpaceId id) const {
  return memory_.header().files_served.load(std::memory_order_relaxed) != 0 &&
         row(id).seen_by_agent.load(std::memory_order_relaxed) % 2 != 0;
}

void OwnSpaces::clear(SpaceId id) {
  SpaceRow& space = row(id);
  if (space.size.load(std::memory_order_relaxed) == 0) return;
  const std::uint64_t begin = space.address.load(std::memory_order_relaxed);
  hide_buffer(shown_memory(memory_.page(me_)), reinterpret_cast<const void*>(begin));
  const std::optional<SpaceInfo> info = read_space(space);
  write_space(space, {.version = 0,
                      .device = {},
                      .process = 0,
                      .size = 0,
                      .address = 0,
                      .handle = info ? info->handle : SharedHandle{}});
  std::atomic_thread_fence(std::memory_order_seq_cst);  // ordered before is_mapped()
  tell_agent();
}

void OwnSpaces::remove(SpaceId id) {
  const std::scoped_lock lock(mutex_);
  clear(id);
  release_unmapped();
}

void OwnSpaces::remove(SpaceId id, Kind& kind, std::byte* memory) {
  const std::scoped_lock lock(mutex_);
  clear(id);
  left_.push_back({id, &kind, memory});
  release_unmapped();
}

bool OwnSpaces::reap() {
  const std::scoped_lock lock(mutex_);
  return release_unmapped();
}

// A peer that has read a row before the space was removed may map the space by its handle
// afterwards.
bool OwnSpaces::release_unmapped() {
  // NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
  for (std::uint32_t number = 1; number < kinds_.size(); ++number) {
    const SpaceRow& space = row(SpaceId(number));
    if (kinds_[number] != nullptr && is_removed(space) && !is_mapped(SpaceId(number)))
      unshare(kinds_[number], space);
  }
  // NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)
  std::erase_if(left_, [this](const Left& each) {
    if (is_mapped(each.id)) return false;
    each.kind->release(each.memory);
    return true;
  });
  return left_.empty();
}

}  // namespace gondwana
