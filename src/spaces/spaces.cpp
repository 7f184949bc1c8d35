#include "spaces/spaces.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "memory/shown_memory.hpp"

namespace gondwana {
namespace {

std::string name_of(Space space) {
  return fmt::format("space {} of rank {}", index(space.id), index(space.rank));
}

}  // namespace

SpaceViews::~SpaceViews() {
  for (auto& [place, known] : known_) unmap(known);
}

void SpaceViews::unmap(Known& known) {
  if (known.is_mapped) known.view.kind->unmap(known.view.memory);
  known = {};
}

// A rank writes its table, and may damage it: what it says is read once.
Result<void> SpaceViews::follow(Known& known, Space space) {
  const std::optional<SpaceInfo> info = read_space(space_row(memory_.window(space.rank), space.id));
  if (info && info->version == known.version && info->process == known.process) return {};
  unmap(known);
  if (!info) return Error{Errc::invalid_argument, fmt::format("{} does not exist", name_of(space))};
  const Result<Kind*> kind = kinds_.find(info->device);
  if (!kind) return kind.error();
  const MutableBytes own(reinterpret_cast<std::byte*>(info->address), info->size);
  const bool is_mapped = info->process != ::getpid() || !(*kind)->holds(own);
  if (!is_mapped) {
    known = {info->version, info->process, {*kind, own}};
    return {};
  }
  const Result<MutableBytes> mapped = (*kind)->map(info->handle, info->size);
  if (!mapped)
    return Error{mapped.error().code,
                 fmt::format("{}, on {}: {}", name_of(space), gondwana::name_of(info->device),
                             mapped.error().text)};
  known = {info->version, info->process, {*kind, *mapped}, true};
  return {};
}

Result<DeviceView> SpaceViews::find(Remote place, std::size_t size) {
  const std::scoped_lock lock(mutex_);
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

OwnSpaces::~OwnSpaces() {
  for (std::uint32_t number = 1; number < kinds_.size(); ++number)
    remove(SpaceId(number));  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange)
}

Result<SpaceId> OwnSpaces::add(Kind& kind, MutableBytes memory) {
  std::uint32_t number = 1;
  while (number < kinds_.size() && kinds_[number] != nullptr) ++number;
  if (number == most_spaces)
    return Error{Errc::out_of_memory, fmt::format("this rank has {} spaces on devices already, "
                                                  "which is the limit",
                                                  most_spaces - 1)};
  const Result<SharedHandle> handle = kind.share(memory);
  if (!handle) return handle.error();
  kinds_.resize(std::max<std::size_t>(kinds_.size(), number + 1));
  kinds_.at(number) = &kind;
  write_space(row(SpaceId(number)), {.version = 0,
                                     .device = kind.device(),
                                     .process = ::getpid(),
                                     .size = memory.size(),
                                     .address = reinterpret_cast<std::uintptr_t>(memory.data()),
                                     .handle = *handle});
  show_buffer(shown_memory(memory_.page(me_)), memory, gondwana::name_of(kind.device()));
  tell_agent();
  return SpaceId(number);
}

// As ShownFiles does, whose bell and counter are the same.
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

void OwnSpaces::remove(SpaceId id) {
  SpaceRow& space = row(id);
  if (space.size.load(std::memory_order_relaxed) == 0) return;
  const std::uint64_t begin = space.address.load(std::memory_order_relaxed);
  hide_buffer(shown_memory(memory_.page(me_)), reinterpret_cast<const void*>(begin));
  const std::optional<SpaceInfo> info = read_space(space);
  write_space(space, {});
  if (info) kinds_.at(index(id))->unshare(info->handle);
  kinds_.at(index(id)) = nullptr;
}

}  // namespace gondwana
