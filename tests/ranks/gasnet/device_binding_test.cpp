// Segments on devices that are created, refused and published in the way task runtimes do.
#include <array>
#include <thread>
#include <vector>

#include "gasnet_mk.h"
#include "ranks/gasnet/device_segments.hpp"

namespace gondwana::gasnet::test {
namespace {

// The memory of a client that binds whatever it has, continues without what is refused, and
// publishes everything in one call, including the first endpoint. Task runtimes do this.
class Bindings {
 public:
  explicit Bindings(World& world) : world_(world) {
    add(world.endpoint, gex_EP_QuerySegment(world.endpoint));
  }
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;
  ~Bindings() {
    for (std::size_t i = 1; i < endpoints_.size(); ++i) {
      gex_EP_Destroy(endpoints_[i], 0);
      gex_Segment_Destroy(segments_[i], 0);
    }
    for (const gex_MK_t kind : kinds_) gex_MK_Destroy(kind, 0);
  }

  // Returns false if it has no endpoint. Without `args`: host memory.
  bool bind(const gex_MK_Create_args_t* args, void* address, std::size_t size) {
    gex_MK_t kind = GEX_MK_HOST;
    if (args != nullptr) {
      if (gex_MK_Create(&kind, world_.client, args, 0) != GASNET_OK) return false;
      kinds_.push_back(kind);
    }
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    if (gex_Segment_Create(&segment, world_.client, address, size, kind, 0) != GASNET_OK) {
      EXPECT_EQ(segment, GEX_SEGMENT_INVALID);
      return false;
    }
    gex_EP_t endpoint = GEX_EP_INVALID;
    EXPECT_EQ(gex_EP_Create(&endpoint, world_.client, GEX_EP_CAPABILITY_RMA, 0), GASNET_OK);
    EXPECT_EQ(gex_EP_QueryIndex(endpoint), endpoints_.size()) << "a refusal takes no index";
    gex_EP_SetCData(endpoint, this);
    gex_EP_BindSegment(endpoint, segment, 0);
    EXPECT_EQ(gex_EP_QuerySegment(endpoint), segment);
    EXPECT_EQ(gex_EP_QueryCData(endpoint), this);
    add(endpoint, segment);
    return true;
  }
  void publish() {
    EXPECT_EQ(gex_EP_PublishBoundSegment(world_.team, endpoints_.data(), endpoints_.size(), 0),
              GASNET_OK);
  }

  gex_EP_Index_t count() const { return static_cast<gex_EP_Index_t>(endpoints_.size()); }
  gex_TM_t pair(gex_EP_Index_t here, gex_EP_Index_t there) const {
    return gex_TM_Pair(endpoints_.at(here), there);
  }
  std::byte* data(gex_EP_Index_t i) const {
    return static_cast<std::byte*>(gex_Segment_QueryAddr(segments_.at(i)));
  }

 private:
  void add(gex_EP_t endpoint, gex_Segment_t segment) {
    endpoints_.push_back(endpoint);
    segments_.push_back(segment);
  }

  World& world_;
  std::vector<gex_EP_t> endpoints_;
  std::vector<gex_Segment_t> segments_;
  std::vector<gex_MK_t> kinds_;
};

// Waits for both events like a thread that polls for others.
void poll_for(gex_Event_t root, gex_Event_t local) {
  const auto is_done = [](gex_Event_t event) { return gex_Event_Test(event) == GASNET_OK; };
  GASNET_BLOCKUNTIL(is_done(local));
  GASNET_BLOCKUNTIL(is_done(root));
}

// A put that does not wait for space until it has been refused once, with an event for its source.
void put_and_poll(World& world, gex_TM_t pair, std::byte* there, std::byte* here,
                  std::size_t size) {
  gex_Event_t local = GEX_EVENT_INVALID;
  gex_Event_t root =
      gex_RMA_PutNB(pair, world.right(), there, here, size, &local, GEX_FLAG_IMMEDIATE);
  if (root == GEX_EVENT_NO_OP)
    root = gex_RMA_PutNB(pair, world.right(), there, here, size, &local, 0);
  if (world.client->door->threads() == ThreadMode::seq) return poll_for(root, local);
  std::jthread([&] {
    adopt(world);
    poll_for(root, local);
  }).join();
}

// From each to each of the right neighbor, and back.
void exchange(World& world, const Bindings& all) {
  constexpr std::size_t part = 150'000;
  const auto copy = [](void* to, const void* from) {
    door().devices().copy("test", to, from, part);
  };
  for (gex_EP_Index_t here = 0; here < all.count(); ++here)
    for (gex_EP_Index_t other = 0; other < all.count(); ++other) {
      const gex_TM_t pair = all.pair(here, other);
      void* found = nullptr;
      gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, world.right(), &found, nullptr, nullptr, 0));
      auto* there = static_cast<std::byte*>(found) + part;
      const std::size_t salt = 16U * here + other;
      const std::vector<std::byte> sent = pattern(part, salt + world.me());
      copy(all.data(here), sent.data());
      put_and_poll(world, pair, there, all.data(here), part);
      world.barrier();
      std::vector<std::byte> got(part);
      copy(got.data(), all.data(other) + part);
      EXPECT_EQ(got, pattern(part, salt + world.left())) << here << " to " << other;
      copy(all.data(here), got.data());
      gex_Event_Wait(gex_RMA_GetNB(pair, all.data(here), world.right(), there, part, 0));
      copy(got.data(), all.data(here));
      EXPECT_EQ(got, sent) << other << " from " << here;
      world.barrier();
    }
}

GASNET_TEST(devices_are_bound_in_turn_and_published_at_once, 1) {
  NEEDS_DEVICES();
  if (second_device() == 0) GTEST_SKIP() << "one device";
  world.attach(segment_size);
  Kind& first = **door().engine().kinds().device(0);
  Kind& second = **door().engine().kinds().device(1);
  const MutableBytes memory = *first.allocate(segment_size);
  const MutableBytes other = *second.allocate(segment_size);
  {
    const std::array device{arguments(0), arguments(1), arguments(63)};
    gex_System_SetVerboseErrors(0);
    Bindings all(world);
    EXPECT_TRUE(all.bind(device.data(), memory.data(), memory.size()));
    EXPECT_FALSE(all.bind(&device[2], memory.data(), memory.size())) << "no such device";
    EXPECT_FALSE(all.bind(device.data(), all.data(0), 4096)) << "memory of the host";
    EXPECT_FALSE(all.bind(&device[1], memory.data(), 4096)) << "memory of another device";
    EXPECT_TRUE(all.bind(&device[1], other.data() + 4096, other.size() - 4096));
    EXPECT_TRUE(all.bind(nullptr, nullptr, segment_size));
    world.barrier();  // ranks here are threads of one process
    gex_System_SetVerboseErrors(1);
    all.publish();
    world.barrier();
    exchange(world, all);
  }
  EXPECT_TRUE(first.release(memory.data())) << "it is the client's";
  EXPECT_TRUE(second.release(other.data()));
}

}  // namespace
}  // namespace gondwana::gasnet::test
