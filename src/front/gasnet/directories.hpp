// The segments that the processes of the job have bound to their endpoints. Each process publishes
// its own in its arena, where ranks of its node read them. Other ranks fetch them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/types.hpp"
#include "front/gasnet/objects.hpp"

namespace gondwana::gasnet {

// The address of a segment of another process.
struct RemoteSegment {
  std::uintptr_t owner = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
  std::uint64_t space = 0;

  SpaceId id() const {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
    return SpaceId(static_cast<std::uint32_t>(space));
  }
};

RemoteSegment segment_in(const SegmentDirectory& directory, gex_EP_Index_t endpoint);

// All functions are thread-safe.
class Directories {
 public:
  explicit Directories(Door& door) : door_(door) {}

  // The directory of a process within reach.
  SegmentDirectory& near(std::uint32_t process) const;
  // The directory of a process out of reach. Fetched once, so it may be outdated.
  std::shared_ptr<const SegmentDirectory> far(std::uint32_t process);

  // Publishes the segment of an endpoint of this process, or that it has none.
  void show(const gondwana_gex_endpoint& endpoint);
  void hide(gex_EP_Index_t endpoint);
  // Publishes where this process's blocks are (gasnet/blocks.h).
  void show_blocks();
  // Collective. The members learn the segments of each other's endpoints.
  void publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call);

  // The member's segment as mapped here. Size 0: loads and stores do not reach it.
  gondwana_gex_member member(std::uint32_t process, gex_EP_Index_t endpoint) const;
  // known_segment() returns what this process already knows. If that is nothing, far_segment()
  // fetches the directory.
  RemoteSegment known_segment(std::uint32_t process, gex_EP_Index_t endpoint);
  RemoteSegment far_segment(std::uint32_t process, gex_EP_Index_t endpoint);
  // The smallest of all ranks' initial segment limits.
  std::size_t min_room();

 private:
  std::shared_ptr<SegmentDirectory> known(std::uint32_t process);
  std::shared_ptr<SegmentDirectory> ask(std::uint32_t process);
  void learn(std::uint32_t process, gex_EP_Index_t endpoint, const RemoteSegment& segment);

  Door& door_;
  std::mutex mutex_;  // guards far_
  std::map<std::uint32_t, std::shared_ptr<SegmentDirectory>> far_;
};

}  // namespace gondwana::gasnet
