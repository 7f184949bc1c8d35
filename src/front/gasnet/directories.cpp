#include "front/gasnet/directories.hpp"

#include <algorithm>

#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {
namespace {

void write(SharedSegment& shared, const RemoteSegment& segment) {
  shared.owner.store(segment.owner, std::memory_order_relaxed);
  shared.offset.store(segment.offset, std::memory_order_relaxed);
  shared.space.store(segment.space, std::memory_order_relaxed);
  // Pairs with segment_in() and member().
  shared.size.store(segment.size, std::memory_order_release);
}

// The directory in the arena mapped at `window`.
SegmentDirectory& directory_at(std::byte* window) {
  return shared_at<SegmentDirectory>(window, system_area::segment_directory.offset);
}

}  // namespace

RemoteSegment segment_in(const SegmentDirectory& directory, gex_EP_Index_t endpoint) {
  if (endpoint >= directory.segments.size()) return {};
  const SharedSegment& shared = directory.segments[endpoint];
  const std::size_t size = shared.size.load(std::memory_order_acquire);  // pairs with write()
  return {shared.owner.load(std::memory_order_relaxed),
          shared.offset.load(std::memory_order_relaxed), size,
          shared.space.load(std::memory_order_relaxed)};
}

SegmentDirectory& Directories::near(std::uint32_t process) const {
  return directory_at(door_.engine().memory().window(Rank(process)));
}

std::shared_ptr<const SegmentDirectory> Directories::far(std::uint32_t process) {
  const std::shared_ptr<const SegmentDirectory> known = this->known(process);
  return known != nullptr ? known : ask(process);
}

void Directories::show(const gondwana_gex_endpoint& endpoint) {
  const gex_Segment_t segment = endpoint.segment;
  if (segment == GEX_SEGMENT_INVALID || segment->offset == gondwana_gex_segment::unreachable)
    return;
  write(near(door_.rank()).segments[endpoint.index],
        {reinterpret_cast<std::uintptr_t>(segment->address), segment->offset, segment->size,
         index(segment->space.value_or(SpaceId::arena))});
}

void Directories::show_blocks() {
  const NodeMemory& memory = door_.engine().memory();
  const Rank me = door_.engine().rank();
  const RemoteHeap blocks = memory.remote_heap(me);
  write(near(door_.rank()).segments[SegmentDirectory::blocks],
        {reinterpret_cast<std::uintptr_t>(memory.window(me)) + blocks.offset(), blocks.offset(),
         blocks.size(), index(SpaceId::arena)});
}

void Directories::hide(gex_EP_Index_t endpoint) {
  near(door_.rank()).segments[endpoint].size.store(0, std::memory_order_release);
}

// Each round tells ranks of other nodes about one endpoint of each member. Almost all members
// publish one.
void Directories::publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call) {
  struct Published {
    std::uint64_t count;  // of the member's endpoints
    std::uint64_t endpoint;
    RemoteSegment segment;
  };
  for (const gex_EP_t endpoint : endpoints) show(*endpoint);
  if (door_.remote().lane() == nullptr) return team.meet(call);
  std::uint64_t most = 1;
  for (std::uint64_t i = 0; i < most; ++i) {
    Published mine{endpoints.size(), max_endpoints, {}};
    if (i < endpoints.size())
      mine = {endpoints.size(), endpoints[i]->index,
              segment_in(near(door_.rank()), endpoints[i]->index)};
    const std::vector<Published> all = team.exchange(call, mine);
    for (std::uint32_t member = 0; member < team.size; ++member) {
      most = std::max(most, all[member].count);
      if (all[member].endpoint < max_endpoints && !door_.reaches(team.processes[member]))
        learn(team.processes[member], static_cast<gex_EP_Index_t>(all[member].endpoint),
              all[member].segment);
    }
  }
}

gondwana_gex_member Directories::member(std::uint32_t process, gex_EP_Index_t endpoint) const {
  static constexpr std::uint32_t awake = 0;
  if (!door_.reaches(process)) return {0, 0, 0, &awake};
  const NodeMemory& memory = door_.engine().memory();
  const auto* bell =
      reinterpret_cast<const std::uint32_t*>(&memory.data_bell(Rank(process)).asleep);
  std::byte* window = memory.window(Rank(process));
  const SegmentDirectory& directory = directory_at(window);
  if (endpoint >= directory.segments.size()) return {0, 0, 0, bell};
  const SharedSegment& shared = directory.segments[endpoint];
  const std::uint64_t size = shared.size.load(std::memory_order_acquire);  // pairs with write()
  if (size == 0 || shared.space.load(std::memory_order_relaxed) != 0) return {0, 0, 0, bell};
  const std::uintptr_t owner = shared.owner.load(std::memory_order_relaxed);
  const std::uintptr_t ours =
      reinterpret_cast<std::uintptr_t>(window) + shared.offset.load(std::memory_order_relaxed);
  return {owner, size, static_cast<std::intptr_t>(ours - owner), bell};
}

RemoteSegment Directories::known_segment(std::uint32_t process, gex_EP_Index_t endpoint) {
  if (door_.reaches(process)) return segment_in(near(process), endpoint);
  const std::shared_ptr<const SegmentDirectory> known = this->known(process);
  return known != nullptr ? segment_in(*known, endpoint) : RemoteSegment{};
}

RemoteSegment Directories::far_segment(std::uint32_t process, gex_EP_Index_t endpoint) {
  const RemoteSegment known = known_segment(process, endpoint);
  return known.size > 0 ? known : segment_in(*ask(process), endpoint);
}

std::size_t Directories::min_room() {
  std::size_t least = near(door_.rank()).room.load(std::memory_order_relaxed);
  for (std::uint32_t process = 0; process < door_.ranks(); ++process)
    if (!door_.reaches(process))
      least = std::min<std::size_t>(least, far(process)->room.load(std::memory_order_relaxed));
  return least;
}

std::shared_ptr<SegmentDirectory> Directories::known(std::uint32_t process) {
  const std::scoped_lock lock(mutex_);
  const auto found = far_.find(process);
  return found == far_.end() ? nullptr : found->second;
}

// Must not wait under the lock: a waiting thread runs handlers, which may call this function.
std::shared_ptr<SegmentDirectory> Directories::ask(std::uint32_t process) {
  constexpr auto call = "directory of a peer";
  const auto copy = std::make_shared<SegmentDirectory>();
  door_.remote().get_from_arena(std::as_writable_bytes(std::span(copy.get(), 1)),
                                {Rank(process), system_area::segment_directory.offset}, call);
  const std::scoped_lock lock(mutex_);
  return far_[process] = copy;
}

void Directories::learn(std::uint32_t process, gex_EP_Index_t endpoint,
                        const RemoteSegment& segment) {
  const std::shared_ptr<SegmentDirectory> known = this->known(process);
  if (known != nullptr) write(known->segments[endpoint], segment);  // or the first use fetches it
}

}  // namespace gondwana::gasnet
