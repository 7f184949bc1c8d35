// Puts and gets within a node and between nodes: blocking, with events, implicit, in regions.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "gasnet.h"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr std::size_t segment_size = std::size_t{4} << 20;

// Bytes that identify rank, round and offset.
std::vector<std::byte> pattern(gex_Rank_t rank, std::size_t size, unsigned round = 0) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(rank * 31 + round * 17 + i * 7 + i / 251);
  return bytes;
}

bool holds(const std::byte* place, const std::vector<std::byte>& expected) {
  return std::equal(expected.begin(), expected.end(), place);
}

std::byte* at(const World& world, gex_Rank_t rank, std::size_t offset) {
  return world.segment_of(rank) + offset;
}

constexpr std::array<std::size_t, 12> sizes{0,    1,    2,     3,      4,       8,
                                            1000, 8192, 65536, 100001, 1 << 20, 3'000'001};

GASNET_TEST(blocking_puts_and_gets_of_any_size, 1) {
  std::byte* mine = world.attach(segment_size);
  for (const std::size_t size : sizes) {
    const std::vector<std::byte> sent = pattern(world.me(), size);
    gex_RMA_PutBlocking(world.team, world.right(), at(world, world.right(), 8), sent.data(), size,
                        0);
    world.barrier();
    EXPECT_TRUE(holds(mine + 8, pattern(world.left(), size))) << size;
    std::vector<std::byte> got(size);
    gex_RMA_GetBlocking(world.team, got.data(), world.right(), at(world, world.right(), 8), size,
                        0);
    EXPECT_EQ(got, sent) << size;
    world.barrier();
  }
}

GASNET_TEST(a_put_is_there_when_its_event_is_complete, 1) {
  world.attach(segment_size);
  for (const std::size_t size : sizes) {
    const std::vector<std::byte> sent = pattern(world.me(), size);
    std::byte* there = at(world, world.right(), 4096);
    gex_Event_Wait(
        gex_RMA_PutNB(world.team, world.right(), there, sent.data(), size, GEX_EVENT_DEFER, 0));
    std::vector<std::byte> got(size);
    gex_Event_Wait(gex_RMA_GetNB(world.team, got.data(), world.right(), there, size, 0));
    EXPECT_EQ(got, sent) << size;
    world.barrier();
  }
}

GASNET_TEST(the_source_may_be_reused_when_its_leaf_is_complete, 1) {
  std::byte* mine = world.attach(segment_size);
  for (const std::size_t size : {8, 4096, 65536, 2'000'000}) {
    const std::vector<std::byte> sent = pattern(world.me(), size);
    std::byte* there = at(world, world.right(), 0);
    std::vector<std::byte> source = sent;
    std::array<gex_Event_t, 3> roots{};
    roots[0] =
        gex_RMA_PutNB(world.team, world.right(), there, source.data(), size, GEX_EVENT_NOW, 0);
    std::ranges::fill(source, std::byte{1});
    source = sent;
    gex_Event_t leaf = GEX_EVENT_INVALID;
    roots[1] = gex_RMA_PutNB(world.team, world.right(), there, source.data(), size, &leaf, 0);
    gex_Event_Wait(leaf);
    std::ranges::fill(source, std::byte{2});
    gex_Event_WaitAll(roots.data(), 2, 0);
    source = sent;
    roots[2] =
        gex_RMA_PutNB(world.team, world.right(), there, source.data(), size, GEX_EVENT_DEFER, 0);
    if (roots[2] != GEX_EVENT_INVALID) gex_Event_Wait(gex_Event_QueryLeaf(roots[2], GEX_EC_LC));
    std::ranges::fill(source, std::byte{3});
    gex_Event_WaitSome(roots.data(), roots.size(), 0);
    world.barrier();
    EXPECT_TRUE(holds(mine, pattern(world.left(), size))) << size;
    world.barrier();
  }
}

GASNET_TEST(implicit_operations_are_complete_after_their_wait, 1) {
  constexpr std::size_t count = 3000;
  std::byte* mine = world.attach(segment_size);
  const std::vector<std::byte> sent = pattern(world.me(), count * 16);
  for (std::size_t i = 0; i < count; ++i)
    gex_RMA_PutNBI(world.team, world.right(), at(world, world.right(), i * 16),
                   sent.data() + i * 16, 16, i % 2 == 0 ? GEX_EVENT_DEFER : GEX_EVENT_NOW, 0);
  gex_RMA_PutNBIVal(world.team, world.right(), at(world, world.right(), count * 16), 42, 8, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  EXPECT_EQ(gex_NBI_Test(GEX_EC_ALL, 0), GASNET_OK);
  world.barrier();
  EXPECT_TRUE(holds(mine, pattern(world.left(), count * 16)));
  std::vector<std::byte> got(count * 16);
  for (std::size_t i = 0; i < count; ++i)
    gex_RMA_GetNBI(world.team, got.data() + i * 16, world.right(), at(world, world.right(), i * 16),
                   16, 0);
  std::uint64_t value = 0;
  gex_RMA_GetNBI(world.team, &value, world.right(), at(world, world.right(), count * 16), 8, 0);
  while (gex_NBI_Test(GEX_EC_GET, 0) != GASNET_OK) gasnet_AMPoll();
  EXPECT_EQ(got, sent);
  EXPECT_EQ(value, 42U);
}

GASNET_TEST(a_region_has_an_event_of_its_own, 1) {
  std::byte* mine = world.attach(segment_size);
  std::memset(mine + 100'000, 5, 100);
  world.barrier();
  const std::vector<std::byte> sent = pattern(world.me(), 50'000);
  std::vector<std::byte> got(100);
  gex_NBI_BeginAccessRegion(0);
  gex_RMA_PutNBI(world.team, world.right(), at(world, world.right(), 0), sent.data(), sent.size(),
                 GEX_EVENT_DEFER, 0);
  gex_RMA_GetNBI(world.team, got.data(), world.right(), at(world, world.right(), 100'000),
                 got.size(), 0);
  const gex_Event_t region = gex_NBI_EndAccessRegion(0);
  EXPECT_EQ(gex_NBI_Test(GEX_EC_ALL, 0), GASNET_OK);
  gex_Event_Wait(region);
  EXPECT_EQ(got, std::vector<std::byte>(100, std::byte{5}));
  world.barrier();
  EXPECT_TRUE(holds(mine, pattern(world.left(), sent.size())));
  gex_NBI_BeginAccessRegion(0);
  EXPECT_EQ(gex_NBI_EndAccessRegion(0), GEX_EVENT_INVALID);
}

GASNET_TEST(words_are_stored_whole_while_others_look, 2) {
  std::byte* mine = world.attach(4096);
  std::memset(mine, 0, 4096);
  world.barrier();
  constexpr std::uint64_t rounds = 200;
  if (world.me() == 0) {
    for (std::uint64_t i = 1; i <= rounds; ++i)
      gex_RMA_PutBlockingVal(world.team, world.size() - 1, at(world, world.size() - 1, 8),
                             i << 32 | i, 8, 0);
  } else if (world.me() == world.size() - 1) {
    const std::atomic_ref<std::uint64_t> word(*reinterpret_cast<std::uint64_t*>(mine + 8));
    std::uint64_t seen = 0;
    GASNET_BLOCKUNTIL(
        (seen = word.load(), seen >> 32 != (seen & 0xffffffff) || seen >> 32 == rounds));
    EXPECT_EQ(seen, rounds << 32 | rounds);
  }
}

GASNET_TEST(memory_is_set, 1) {
  std::byte* mine = world.attach(segment_size);
  gondwana_gasnet_memset(world.right(), at(world, world.right(), 3), 7, 1'000'001);
  world.barrier();
  EXPECT_EQ(mine[3], std::byte{7});
  EXPECT_EQ(mine[1'000'003], std::byte{7});
  EXPECT_EQ(std::count(mine, mine + segment_size, std::byte{7}), 1'000'001);
}

GASNET_TEST(all_know_where_segments_and_processes_are, 1) {
  std::byte* mine = world.attach(segment_size);
  std::vector<gasnet_seginfo_t> segments(world.size());
  std::vector<gasnet_nodeinfo_t> places(world.size());
  ASSERT_EQ(gasnet_getSegmentInfo(segments.data(), static_cast<int>(world.size())), GASNET_OK);
  ASSERT_EQ(gasnet_getNodeInfo(places.data(), static_cast<int>(world.size())), GASNET_OK);
  EXPECT_EQ(segments[world.me()].addr, mine);
  gex_RankInfo_t* neighbors = nullptr;
  gex_Rank_t count = 0;
  gex_Rank_t position = 0;
  gex_System_QueryNbrhdInfo(&neighbors, &count, &position);
  EXPECT_EQ(neighbors[position].gex_jobrank, world.me());
  for (gex_Rank_t rank = 0; rank < world.size(); ++rank) {
    EXPECT_EQ(segments[rank].addr, world.segment_of(rank));
    EXPECT_EQ(segments[rank].size, segment_size);
    void* here = nullptr;
    gex_Segment_QueryBound(world.team, rank, nullptr, &here, nullptr);
    const bool near = places[rank].supernode == places[world.me()].supernode;
    EXPECT_EQ(here != nullptr, near);
    EXPECT_EQ(places[rank].host, 0U);
    EXPECT_EQ(std::any_of(neighbors, neighbors + count,
                          [&](const auto& each) { return each.gex_jobrank == rank; }),
              near);
  }
  gex_Rank_t on_host = 0;
  gex_System_QueryHostInfo(nullptr, &on_host, nullptr);
  EXPECT_EQ(on_host, world.size());
  const std::uintptr_t most = gasnet_getMaxGlobalSegmentSize();
  EXPECT_GT(most, 0U);
  std::memcpy(mine, &most, sizeof(most));
  world.barrier();
  EXPECT_EQ(gex_RMA_GetBlockingVal(world.team, 0, at(world, 0, 0), 8, 0), most);
}

// What a handler sees that runs as soon as its rank can receive messages.
thread_local bool in_query = false;
std::atomic<int> ran_in_query{0};
std::atomic<int> saw_no_segment{0};

void query_segments(gex_Token_t /*token*/) {
  ran_in_query += in_query ? 1 : 0;
  std::vector<gasnet_seginfo_t> segments(gasnet_nodes());
  gasnet_getSegmentInfo(segments.data(), static_cast<int>(segments.size()));
  for (const gasnet_seginfo_t& segment : segments) saw_no_segment += segment.size == 0 ? 1 : 0;
}

GASNET_TEST(queries_of_segments_and_places_run_no_handlers_and_are_for_handlers, 2) {
  static std::atomic<std::uint32_t> ready{0};
  static std::atomic<std::uint32_t> sent{0};
  constexpr gex_AM_Index_t index = 200;
  constexpr int rounds = 20;
  if (world.me() == 0) ready = sent = 0;
  world.add_handler(index, reinterpret_cast<gex_AM_Fn_t>(&query_segments),
                    GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0);
  world.barrier();
  world.attach(segment_size);
  std::vector<gasnet_seginfo_t> segments(world.size());
  std::vector<gasnet_nodeinfo_t> places(world.size());
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    // A rank that is still in the barrier may need the others to poll.
    ++ready;
    while (ready < round * world.size()) gasnet_AMPoll();
    // No rank polls until all have sent, so a message without room is left out.
    gex_AM_RequestShort0(world.team, world.right(), index, GEX_FLAG_IMMEDIATE);
    ++sent;
    while (sent < round * world.size()) std::this_thread::yield();
    in_query = true;
    EXPECT_EQ(gasnet_getSegmentInfo(segments.data(), static_cast<int>(world.size())), GASNET_OK);
    EXPECT_EQ(gasnet_getNodeInfo(places.data(), static_cast<int>(world.size())), GASNET_OK);
    EXPECT_GT(gasnet_getMaxGlobalSegmentSize(), 0U);
    in_query = false;
    world.barrier();
  }
  EXPECT_EQ(ran_in_query, 0);
  EXPECT_EQ(saw_no_segment, 0);
}

}  // namespace
}  // namespace gondwana::gasnet::test
