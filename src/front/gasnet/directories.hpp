// Which segments the processes of the job have bound to their endpoints. Each process writes this
// where ranks of its node read it, and others fetch it.
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

// Any thread may call it.
class Directories {
 public:
  explicit Directories(Door& door) : door_(door) {}

  // Of a process within reach.
  SegmentDirectory& near(std::uint32_t process) const;
  // Of a process out of reach, fetched once: its segments may be old.
  std::shared_ptr<const SegmentDirectory> far(std::uint32_t process);

  // Writes what is bound to an endpoint of this process, or that nothing is.
  void show(const gondwana_gex_endpoint& endpoint);
  void hide(gex_EP_Index_t endpoint);
  // Collective. The members learn what is bound to the endpoints of the others.
  void publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call);

  // The member's segment as this process maps it. Size 0: loads and stores do not reach it.
  gondwana_gex_member member(std::uint32_t process, gex_EP_Index_t endpoint) const;
  // What this process knows, and what it knows of a process out of reach or else fetches.
  RemoteSegment known_segment(std::uint32_t process, gex_EP_Index_t endpoint);
  RemoteSegment far_segment(std::uint32_t process, gex_EP_Index_t endpoint);
  // The largest segment that every rank could allocate at first.
  std::size_t least_room();

 private:
  std::shared_ptr<SegmentDirectory> known(std::uint32_t process);
  std::shared_ptr<SegmentDirectory> ask(std::uint32_t process);
  void learn(std::uint32_t process, gex_EP_Index_t endpoint, const RemoteSegment& segment);

  Door& door_;
  std::mutex mutex_;  // guards far_
  std::map<std::uint32_t, std::shared_ptr<SegmentDirectory>> far_;
};

}  // namespace gondwana::gasnet
