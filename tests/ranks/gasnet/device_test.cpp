// Puts and gets between host and device memory, here and at the peer.
#include <array>
#include <new>
#include <vector>

#include "gasnet_mk.h"
#include "gasnet_vis.h"
#include "ranks/gasnet/device_segments.hpp"

#if !defined(__HIP_PLATFORM_AMD__)
#error "headers of HIP after gasnet_mk.h want to know whose devices they are for"
#endif

namespace gondwana::gasnet::test {
namespace {

// Around the size that is copied at once (4 KiB), the eager limit, and the chunks that pass through
// the host.
constexpr std::array<std::size_t, 9> counts{1,      511,    512,    513,    8191,
                                            32'767, 32'768, 32'769, 300'000};

// Host to device and back, device to device, in each form of a call.
GASNET_TEST(puts_and_gets_between_host_and_devices, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment first(world, 0);
  const DeviceSegment other(world, second_device());
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

// Several at once, each with its own event and one for its source.
GASNET_TEST(puts_and_gets_of_a_device_go_on_until_their_events, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment first(world, 0);
  const DeviceSegment other(world, second_device());
  const gex_TM_t from_host = gex_TM_Pair(world.endpoint, first.index());
  const gex_TM_t from_device = gex_TM_Pair(other.endpoint(), first.index());
  auto* there = static_cast<std::byte*>(peer_address(from_host, world.right()));
  constexpr std::size_t count = 90'000;
  constexpr std::size_t bytes = count * sizeof(long);
  constexpr std::size_t parts = 4;
  std::array<std::vector<long>, parts> sources;
  std::array<gex_Event_t, 2 * parts> events{};
  for (std::size_t i = 0; i < parts; ++i) {
    sources.at(i) = numbers(count, 1000L * world.me() + static_cast<long>(i));
    events.at(i) = gex_RMA_PutNB(from_host, world.right(), there + i * bytes, sources.at(i).data(),
                                 bytes, &events.at(parts + i), 0);
  }
  gex_Event_WaitAll(&events.at(parts), parts, 0);
  for (std::vector<long>& each : sources) std::ranges::fill(each, -1);
  gex_Event_WaitAll(events.data(), parts, 0);
  world.barrier();
  for (std::size_t i = 0; i < parts; ++i)
    EXPECT_EQ(first.read(i * count + 7), 1000L * world.left() + static_cast<long>(i) + 7);
  world.barrier();
  gex_Event_t get = gex_RMA_GetNB(from_device, other.data(), world.right(), there, bytes, 0);
  while (gex_Event_Test(get) != GASNET_OK) gasnet_AMPoll();
  EXPECT_EQ(other.read(count - 1), 1000L * world.me() + static_cast<long>(count) - 1);
  gex_NBI_BeginAccessRegion(0);
  std::vector<long> back(count);
  gex_RMA_PutNBI(from_host, world.right(), there + 3 * bytes, sources[0].data(), bytes,
                 GEX_EVENT_NOW, 0);
  std::ranges::fill(sources[0], 5);  // the source can be reused
  gex_RMA_GetNBI(from_host, back.data(), world.right(), there + 2 * bytes, bytes, 0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  EXPECT_EQ(back[count - 1], 1000L * world.me() + 2 + static_cast<long>(count) - 1);
  world.barrier();
  EXPECT_EQ(first.read(3 * count + 7), -1);
}

// Clients may test in a loop without polling, unless they wait for another node.
GASNET_TEST(tests_alone_move_transfers_of_a_device_on, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment first(world, 0);
  const gex_TM_t team = gex_TM_Pair(world.endpoint, first.index());
  auto* there = static_cast<std::byte*>(peer_address(team, world.right()));
  constexpr std::size_t count = 90'000;
  constexpr std::size_t bytes = count * sizeof(long);
  std::vector<long> values = numbers(count, 1000L * world.me());
  std::array<std::vector<long>, 3> back;
  const auto until = [](const auto& test) {
    while (test() != GASNET_OK)
      if (door().remote().lane() != nullptr) gasnet_AMPoll();
  };
  gex_RMA_PutNBI(team, world.right(), there, values.data(), bytes, GEX_EVENT_DEFER, 0);
  until([] { return gex_NBI_Test(GEX_EC_PUT, 0); });
  for (std::vector<long>& each : back) each.resize(count);
  gex_RMA_GetNBI(team, back[0].data(), world.right(), there, bytes, 0);
  until([] { return gex_NBI_Test(GEX_EC_GET, 0); });
  gex_Event_t some = gex_RMA_GetNB(team, back[1].data(), world.right(), there, bytes, 0);
  until([&] { return gex_Event_TestSome(&some, 1, 0); });
  gex_Event_t all = gex_RMA_GetNB(team, back[2].data(), world.right(), there, bytes, 0);
  until([&] { return gex_Event_TestAll(&all, 1, 0); });
  for (const std::vector<long>& each : back) EXPECT_EQ(each, values);
  world.barrier();
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

// Its pages would be replaced, and the driver would not know.
GASNET_TEST(memory_pinned_for_a_device_is_refused, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  Kind& device = **door().engine().kinds().device(0);
  const KindId kind = device.device().kind;
  if (kind != KindId::cuda && kind != KindId::hip) GTEST_SKIP() << "it pins nothing";
  constexpr std::size_t size = 256 * 1024;
  const std::align_val_t page{page_size()};
  auto* memory = static_cast<std::byte*>(::operator new(size, page));
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  constexpr std::size_t within = size / 2 + 64;  // no page begins there
  for (const std::size_t end : {size, size / 2 + page_size()}) {
    ASSERT_TRUE(device.pin({memory + within, end - within}));
    EXPECT_EQ(gex_Segment_Create(&segment, world.client, memory, size, GEX_MK_HOST, 0),
              GASNET_ERR_BAD_ARG);
    device.unpin(memory + within);
  }
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, memory, size, GEX_MK_HOST, 0), GASNET_OK);
  gex_Segment_Destroy(segment, 0);
  ::operator delete(memory, page);
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
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): there is no such class
  args.gex_class = static_cast<gex_MK_Class_t>(63);
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

GASNET_TEST(a_place_beyond_a_segment_of_a_device_is_told, 1) {
  NEEDS_DEVICES();
  world.attach(segment_size);
  const DeviceSegment segment(world, 0);
  const gex_TM_t pair = gex_TM_Pair(world.endpoint, segment.index());
  auto* end = static_cast<std::byte*>(peer_address(pair, world.right())) + segment_size;
  long value = 0;
  EXPECT_THROW(gex_RMA_PutBlocking(pair, world.right(), end, &value, sizeof(value), 0), GaveUp);
  EXPECT_THROW(gex_VIS_StridedPutBlocking(pair, world.right(), end, nullptr, &value, nullptr,
                                          sizeof(value), nullptr, 0, 0),
               GaveUp);
  world.barrier();
}

}  // namespace
}  // namespace gondwana::gasnet::test
