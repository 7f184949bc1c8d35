// Segments on devices: puts and gets between memory of the host and of devices, here and at the
// peer. The processor faults where it touches memory of a device. The devices are the first two of
// the process, of whatever kind.
#include <array>
#include <numeric>
#include <vector>

#include "gasnet_mk.h"
#include "gasnet_vis.h"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr std::size_t segment_size = std::size_t{3} << 20;

gex_MK_Create_args_t arguments(int device) {
  gex_MK_Create_args_t args{};
  args.gex_class = GONDWANA_MK_CLASS_EMULATED;
  args.gex_args.gondwana_class_emulated.gondwana_device = device;
  return args;
}

gex_MK_t make_kind(const World& world, int device) {
  const gex_MK_Create_args_t args = arguments(device);
  gex_MK_t kind = GEX_MK_INVALID;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_OK);
  return kind;
}

// An endpoint with a segment on a device, published to all.
class DeviceSegment {
 public:
  DeviceSegment(World& world, int device, void* address = nullptr)
      : kind_(make_kind(world, device)) {
    EXPECT_EQ(gex_Segment_Create(&segment_, world.client, address, segment_size, kind_, 0),
              GASNET_OK);
    EXPECT_EQ(gex_EP_Create(&endpoint_, world.client, GEX_EP_CAPABILITY_RMA, 0), GASNET_OK);
    EXPECT_EQ(gex_EP_BindSegment(endpoint_, segment_, 0), GASNET_OK);
    EXPECT_EQ(gex_EP_PublishBoundSegment(world.team, &endpoint_, 1, 0), GASNET_OK);
  }
  DeviceSegment(const DeviceSegment&) = delete;
  DeviceSegment& operator=(const DeviceSegment&) = delete;
  ~DeviceSegment() {
    gex_Segment_Destroy(segment_, 0);
    gex_EP_Destroy(endpoint_, 0);
    gex_MK_Destroy(kind_, 0);
  }

  gex_EP_t endpoint() const { return endpoint_; }
  gex_EP_Index_t index() const { return gex_EP_QueryIndex(endpoint_); }
  std::byte* data() const { return static_cast<std::byte*>(gex_Segment_QueryAddr(segment_)); }
  long read(std::size_t i) const {
    long value = 0;
    EXPECT_TRUE(kind_->device->copy_now(reinterpret_cast<std::byte*>(&value),
                                        data() + i * sizeof(long), sizeof(long)));
    return value;
  }
  void write(const std::vector<long>& values) const {
    const Bytes bytes = std::as_bytes(std::span(values));
    EXPECT_TRUE(kind_->device->copy_now(data(), bytes.data(), bytes.size()));
  }

 private:
  gex_MK_t kind_;
  gex_Segment_t segment_ = GEX_SEGMENT_INVALID;
  gex_EP_t endpoint_ = GEX_EP_INVALID;
};

bool has_devices() {
  return door().engine().kinds().has_devices();
}
#define NEEDS_DEVICES() \
  if (!has_devices()) GTEST_SKIP() << "no devices"

void* peer_address(gex_TM_t pair, gex_Rank_t rank) {
  void* address = nullptr;
  void* local = static_cast<void*>(&address);
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, rank, &address, &local, &size, 0));
  EXPECT_EQ(size, segment_size);
  EXPECT_EQ(local, nullptr);
  return address;
}

std::vector<long> numbers(std::size_t count, long first) {
  std::vector<long> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

constexpr std::array<std::size_t, 5> counts{1, 9, 600, 9000, 300'000};

// Host to device and back, device to device, in each form of a call.
GASNET_TEST(puts_and_gets_between_host_and_devices, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment first(world, 0);
  const DeviceSegment other(world, 1);
  const gex_TM_t from_host = gex_TM_Pair(world.endpoint, first.index());
  const gex_TM_t from_device = gex_TM_Pair(other.endpoint(), first.index());
  const gex_TM_t to_host = gex_TM_Pair(other.endpoint(), 0);
  auto* there = static_cast<std::byte*>(peer_address(from_host, world.right()));
  for (const std::size_t count : counts) {
    const std::size_t bytes = count * sizeof(long);
    const long mine = 1000L * world.me() + static_cast<long>(count);
    const long theirs = 1000L * world.left() + static_cast<long>(count);
    const auto last = static_cast<long>(count) - 1;
    const std::vector<long> values = numbers(count, mine);
    std::vector<long> back(count);
    EXPECT_EQ(gex_RMA_PutBlocking(from_host, world.right(), there, values.data(), bytes, 0), 0);
    world.barrier();
    EXPECT_EQ(first.read(count - 1), theirs + last);
    EXPECT_EQ(gex_RMA_GetBlocking(from_host, back.data(), world.right(), there, bytes, 0), 0);
    EXPECT_EQ(back, values) << count;
    world.barrier();
    other.write(numbers(count, mine + 5));
    gex_Event_Wait(
        gex_RMA_PutNB(from_device, world.right(), there, other.data(), bytes, GEX_EVENT_DEFER, 0));
    world.barrier();
    EXPECT_EQ(first.read(count - 1), theirs + 5 + last) << count;
    world.barrier();
    gex_RMA_PutNBI(to_host, world.right(), world.segment_of(world.right()), other.data(), bytes,
                   GEX_EVENT_DEFER, 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
    other.write(std::vector<long>(count, 0));
    gex_Event_Wait(gex_RMA_GetNB(from_device, other.data(), world.right(), there, bytes, 0));
    EXPECT_EQ(other.read(count - 1), mine + 5 + last) << count;
    world.barrier();
    EXPECT_EQ(reinterpret_cast<long*>(world.segment_of(world.me()))[count - 1], theirs + 5 + last);
    world.barrier();
  }
}

GASNET_TEST(a_segment_may_adopt_memory_of_a_device, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  Kind& device = **door().engine().kinds().device(0);
  const MutableBytes memory = *device.allocate(segment_size);
  {
    const DeviceSegment adopted(world, 0, memory.data());
    EXPECT_EQ(adopted.data(), memory.data());
    const gex_TM_t pair = gex_TM_Pair(world.endpoint, adopted.index());
    const long value = 40 + static_cast<long>(world.me());
    gex_RMA_PutBlocking(pair, world.right(), peer_address(pair, world.right()), &value,
                        sizeof(value), 0);
    world.barrier();
    EXPECT_EQ(adopted.read(0), 40 + static_cast<long>(world.left()));
    world.barrier();
  }
  EXPECT_TRUE(device.holds(memory)) << "destroying the segment leaves it";
  device.release(memory.data());
}

GASNET_TEST(wrong_kinds_and_segments_are_refused, 1) {
  NEEDS_DEVICES();
  gex_MK_Create_args_t args = arguments(63);
  gex_MK_t kind = GEX_MK_INVALID;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_ERR_BAD_ARG);
  args = {};
  args.gex_class = GONDWANA_MK_CLASS_EMULATED;
  args.gex_args.gondwana_class_emulated.gondwana_device = -1;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_ERR_BAD_ARG);
  args = {};
  args.gex_class = GEX_MK_CLASS_CUDA_UVA;
  EXPECT_EQ(gex_MK_Create(&kind, world.client, &args, 0), GASNET_ERR_BAD_ARG);
  kind = make_kind(world, 0);
  EXPECT_EQ(gex_MK_QueryClass(kind), arguments(0).gex_class);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  long here = 0;
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, &here, sizeof(here), kind, 0),
            GASNET_ERR_BAD_ARG);
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, nullptr, uintptr_t{1} << 40, kind, 0),
            GASNET_ERR_RESOURCE);
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, nullptr, segment_size, kind, 0), GASNET_OK);
  EXPECT_EQ(gex_EP_BindSegment(world.endpoint, segment, 0), GASNET_ERR_BAD_ARG);
  EXPECT_THROW(gex_MK_Destroy(kind, 0), GaveUp);
  gex_Segment_Destroy(segment, 0);
  gex_MK_Destroy(kind, 0);
}

GASNET_TEST(what_is_no_put_or_get_refuses_memory_of_a_device, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment segment(world, 0);
  const gex_TM_t pair = gex_TM_Pair(world.endpoint, segment.index());
  void* there = peer_address(pair, world.right());
  long value = 0;
  EXPECT_THROW(gex_VIS_StridedPutBlocking(pair, world.right(), there, nullptr, &value, nullptr,
                                          sizeof(value), nullptr, 0, 0),
               GaveUp);
  EXPECT_THROW(
      gex_RMA_PutBlocking(pair, world.right(), static_cast<std::byte*>(there) + segment_size,
                          &value, sizeof(value), 0),
      GaveUp);
  world.barrier();
}

}  // namespace
}  // namespace gondwana::gasnet::test
