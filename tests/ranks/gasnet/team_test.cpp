// Teams, endpoints and segments.
#include <cstring>
#include <numeric>
#include <vector>

#include "core/mapping.hpp"
#include "ranks/gasnet/world.hpp"

#include <sys/mman.h>

namespace gondwana::gasnet::test {
namespace {

GASNET_TEST(split_orders_by_key_and_then_by_rank, 2) {
  gex_TM_t team = GEX_TM_INVALID;
  const int key = -static_cast<int>(world.me() / 2);
  gex_TM_Split(&team, world.team, static_cast<int>(world.me() % 2), key, nullptr, 0,
               GEX_FLAG_TM_NO_SCRATCH);
  const gex_Rank_t members = (world.size() + 1 - world.me() % 2) / 2;
  EXPECT_EQ(gex_TM_QuerySize(team), members);
  EXPECT_EQ(gex_TM_QueryRank(team), members - 1 - world.me() / 2);
  for (gex_Rank_t i = 0; i < members; ++i) {
    const gex_Rank_t process = gex_TM_TranslateRankToJobrank(team, i);
    EXPECT_EQ(process % 2, world.me() % 2);
    EXPECT_EQ(gex_TM_TranslateJobrankToRank(team, process), i);
  }
  const gex_Rank_t other = (world.me() + 1) % 2;
  EXPECT_EQ(gex_TM_TranslateJobrankToRank(team, other), GEX_RANK_INVALID);
  gex_TM_Destroy(team, nullptr, 0);
}

GASNET_TEST(teams_come_and_go_many_times, 2) {
  for (int i = 0; i < 100; ++i) {
    gex_TM_t team = GEX_TM_INVALID;
    const bool joins = world.random() % 2 == 0;
    gex_TM_Split(joins ? &team : nullptr, world.team, i % 3, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
    if (!joins) continue;
    Team::of(team).meet("test");
    gex_TM_Destroy(team, nullptr, 0);
  }
}

GASNET_TEST(a_team_may_be_made_of_a_list, 2) {
  std::vector<gex_EP_Location_t> members(world.size());
  for (gex_Rank_t i = 0; i < world.size(); ++i) members[i] = {world.size() - 1 - i, 0};
  gex_TM_t team = GEX_TM_INVALID;
  gex_TM_Create(&team, 1, world.team, members.data(), members.size(), nullptr, 0,
                GEX_FLAG_TM_NO_SCRATCH);
  EXPECT_EQ(gex_TM_QueryRank(team), world.size() - 1 - world.me());
  gex_TM_t copy = GEX_TM_INVALID;
  gex_TM_Dup(&copy, team, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  EXPECT_EQ(gex_TM_QueryRank(copy), gex_TM_QueryRank(team));
  gex_TM_Destroy(copy, nullptr, 0);
  gex_TM_Destroy(team, nullptr, GEX_FLAG_GLOBALLY_QUIESCED);
}

GASNET_TEST(scratch_of_the_client_comes_back, 1) {
  std::byte* segment = world.attach(1 << 20);
  const std::size_t size =
      gex_TM_Split(nullptr, world.team, 0, 0, nullptr, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
  EXPECT_EQ(size, 0U);  // a rank outside every team
  gex_TM_t team = GEX_TM_INVALID;
  const std::size_t wanted =
      gex_TM_Split(&team, world.team, 0, 0, nullptr, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
  EXPECT_GT(wanted, 0U);
  gex_TM_Split(&team, world.team, 0, 0, segment, wanted, 0);
  gex_Memvec_t back{};
  EXPECT_NE(gex_TM_Destroy(team, &back, 0), 0);
  EXPECT_EQ(back.gex_addr, segment);
  EXPECT_EQ(back.gex_len, wanted);
}

GASNET_TEST(puts_and_gets_reach_every_segment, 1) {
  std::byte* mine = world.attach(std::size_t{4} << 20);
  const std::vector<std::byte> value(3000, static_cast<std::byte>(world.me() + 1));
  for (gex_Rank_t to = 0; to < world.size(); ++to)
    EXPECT_EQ(
        gex_RMA_PutBlocking(world.team, to, world.segment_of(to) + std::size_t{4096} * world.me(),
                            value.data(), value.size(), 0),
        0);
  world.barrier();
  for (gex_Rank_t from = 0; from < world.size(); ++from) {
    EXPECT_EQ(mine[std::size_t{4096} * from], static_cast<std::byte>(from + 1));
    std::vector<std::byte> got(3000);
    gex_Event_Wait(gex_RMA_GetNB(world.team, got.data(), from,
                                 world.segment_of(from) + std::size_t{4096} * world.me(),
                                 got.size(), 0));
    EXPECT_EQ(got, value);
  }
  const gex_RMA_Value_t word = 0x0123'4567'89ab'cdef;
  gex_RMA_PutBlockingVal(world.team, world.right(), world.segment_of(world.right()) + (1 << 20),
                         word, 8, 0);
  world.barrier();
  EXPECT_EQ(gex_RMA_GetBlockingVal(world.team, world.me(), mine + (1 << 20), 8, 0), word);
  EXPECT_EQ(gex_RMA_GetBlockingVal(world.team, world.me(), mine + (1 << 20), 3, 0),
            word & 0xffffff);
  std::vector<std::byte> large(std::size_t{2} << 20, std::byte{9});
  gex_RMA_PutBlocking(world.team, world.right(), world.segment_of(world.right()) + (2 << 20),
                      large.data(), large.size(), 0);
  world.barrier();
  EXPECT_EQ(std::memcmp(mine + (2 << 20), large.data(), large.size()), 0);
}

GASNET_TEST(offsets_may_stand_for_addresses, 1) {
  std::byte* mine = world.attach(1 << 20);
  std::memset(mine, static_cast<int>(world.me() + 1), 64);
  gex_RMA_PutBlocking(world.team, world.right(), reinterpret_cast<void*>(4096), nullptr, 64,
                      GEX_FLAG_PEER_SEG_OFFSET | GEX_FLAG_SELF_SEG_OFFSET);
  world.barrier();
  EXPECT_EQ(mine[4096], static_cast<std::byte>(world.left() + 1));
}

GASNET_TEST(beyond_a_segment_is_a_sentence, 1) {
  world.attach(4096);
  const long value = 1;
  EXPECT_THROW(gex_RMA_PutBlocking(world.team, world.right(),
                                   world.segment_of(world.right()) + 4092, &value, 8, 0),
               GaveUp);
}

GASNET_TEST(more_endpoints_have_segments_and_handlers_of_their_own, 1) {
  gex_EP_t more = GEX_EP_INVALID;
  ASSERT_EQ(gex_EP_Create(&more, world.client, GEX_EP_CAPABILITY_ALL, 0), GASNET_OK);
  EXPECT_EQ(gex_EP_QueryIndex(more), 1U);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  ASSERT_EQ(gex_Segment_Create(&segment, world.client, nullptr, 8192, GEX_MK_HOST, 0), GASNET_OK);
  ASSERT_EQ(gex_EP_BindSegment(more, segment, 0), GASNET_OK);
  ASSERT_EQ(gex_EP_PublishBoundSegment(world.team, &more, 1, 0), GASNET_OK);
  gex_TM_t pair = gex_TM_Pair(world.endpoint, 1);
  EXPECT_EQ(pair, gex_TM_Pair(world.endpoint, 1));
  void* there = nullptr;
  ASSERT_EQ(gex_Segment_QueryBound(pair, world.right(), &there, nullptr, nullptr), GASNET_OK);
  const gex_Rank_t me = world.me();
  gex_RMA_PutBlocking(pair, world.right(), there, &me, sizeof(me), 0);
  world.barrier();
  gex_Rank_t got = 0;
  std::memcpy(&got, gex_Segment_QueryAddr(segment), sizeof(got));
  EXPECT_EQ(got, world.left());
  world.barrier();
  gex_EP_Destroy(more, 0);
  gex_Segment_Destroy(segment, 0);
}

// Pages of the client become shared in place and keep their contents.
GASNET_TEST(memory_of_the_client_becomes_a_segment, 1) {
  constexpr std::size_t size = 64 * 1024;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(memory, 'a', size);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_t more = GEX_EP_INVALID;
  gex_EP_Create(&more, world.client, GEX_EP_CAPABILITY_RMA, 0);
  ASSERT_EQ(gex_Segment_Create(&segment, world.client, memory, size, GEX_MK_HOST, 0), GASNET_OK);
  EXPECT_EQ(gex_Segment_QueryAddr(segment), memory);
  gex_EP_BindSegment(more, segment, 0);
  gex_EP_PublishBoundSegment(world.team, &more, 1, 0);
  gex_TM_t pair = gex_TM_Pair(world.endpoint, gex_EP_QueryIndex(more));
  void* there = nullptr;
  gex_Segment_QueryBound(pair, world.right(), &there, nullptr, nullptr);
  char got = 0;
  gex_RMA_GetBlocking(pair, &got, world.right(), there, 1, 0);
  EXPECT_EQ(got, 'a');
  world.barrier();
  gex_RMA_PutBlockingVal(pair, world.right(), there, 'b', 1, 0);
  world.barrier();
  EXPECT_EQ(*static_cast<char*>(memory), 'b');
  world.barrier();
  gex_Segment_Destroy(segment, 0);
  EXPECT_EQ(*static_cast<char*>(memory), 'b');
  ::munmap(memory, size);
}

// The memory cannot be a segment: the call refuses it and leaves it unchanged.
void expect_refused(World& world, void* memory, std::size_t size) {
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  EXPECT_EQ(gex_Segment_Create(&segment, world.client, memory, size, GEX_MK_HOST, 0),
            GASNET_ERR_BAD_ARG);
  EXPECT_EQ(segment, GEX_SEGMENT_INVALID);
}

std::byte* map(std::size_t size, int protection, int sharing, int memory = -1) {
  void* mapped = ::mmap(nullptr, size, protection, sharing, memory, 0);
  EXPECT_NE(mapped, MAP_FAILED);
  return static_cast<std::byte*>(mapped);
}

// Another mapping of the same memory still shows the writes of all ranks through this one.
GASNET_TEST(memory_that_the_client_shares_stays_shared_as_a_segment, 1) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ranks that are threads look at one another's descriptors";
#endif
  constexpr std::size_t size = 64 * 1024;
  Result<UniqueFd> memory = create_memfd("client", size);
  ASSERT_TRUE(memory);
  std::byte* one = map(size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->get());
  const std::byte* other = map(size, PROT_READ, MAP_SHARED, memory->get());
  one[0] = std::byte{'a'};
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_t more = GEX_EP_INVALID;
  ASSERT_EQ(gex_Segment_Create(&segment, world.client, one, size, GEX_MK_HOST, 0), GASNET_OK);
  memory->reset();
  EXPECT_EQ(one[0], std::byte{'a'});
  gex_EP_Create(&more, world.client, GEX_EP_CAPABILITY_RMA, 0);
  gex_EP_BindSegment(more, segment, 0);
  gex_EP_PublishBoundSegment(world.team, &more, 1, 0);
  gex_TM_t pair = gex_TM_Pair(world.endpoint, gex_EP_QueryIndex(more));
  void* there = nullptr;
  gex_Segment_QueryBound(pair, world.right(), &there, nullptr, nullptr);
  gex_RMA_PutBlockingVal(pair, world.right(), static_cast<char*>(there) + 8, 'b', 1, 0);
  world.barrier();
  EXPECT_EQ(one[8], std::byte{'b'});
  EXPECT_EQ(other[8], std::byte{'b'});
  one[size - 1] = std::byte{'c'};
  EXPECT_EQ(other[size - 1], std::byte{'c'});
  world.barrier();
  char got = 0;
  gex_RMA_GetBlocking(pair, &got, world.right(), static_cast<char*>(there) + size - 1, 1, 0);
  EXPECT_EQ(got, 'c');
  world.barrier();
  gex_EP_Destroy(more, 0);
  gex_Segment_Destroy(segment, 0);
  one[1] = std::byte{'d'};
  EXPECT_EQ(other[1], std::byte{'d'});
  ::munmap(one, size);
  ::munmap(const_cast<std::byte*>(other), size);
}

// Peers cannot map it, or would fault at its end.
GASNET_TEST(shared_memory_that_peers_cannot_map_is_no_segment, 1) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ranks that are threads look at one another's descriptors";
#endif
  constexpr std::size_t size = 64 * 1024;
  std::byte* nameless = map(size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  expect_refused(world, nameless, size);
  ::munmap(nameless, size);
  Result<UniqueFd> memory = create_memfd("client", size);
  ASSERT_TRUE(memory);
  std::byte* longer = map(2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->get());
  expect_refused(world, longer, 2 * size);
  memory->reset();
  expect_refused(world, longer, size);
  longer[0] = std::byte{'x'};
  EXPECT_EQ(longer[0], std::byte{'x'});
  ::munmap(longer, 2 * size);
}

// The check includes the pages after the first.
GASNET_TEST(memory_that_is_shared_read_only_or_missing_in_part_is_no_segment, 1) {
  constexpr std::size_t page = 4096;
  std::byte* memory = map(8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  const auto whole = [&] { expect_refused(world, memory, 8 * page); };
  std::byte* last = memory + 7 * page;
  const auto map_last = [&](int protection, int flags) {
    ASSERT_EQ(::mmap(last, page, protection, flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0), last);
  };
  map_last(PROT_READ | PROT_WRITE, MAP_SHARED);
  whole();
  map_last(PROT_READ, MAP_PRIVATE);
  whole();
  ::mprotect(last, page, PROT_NONE);
  whole();
  ::munmap(last, page);
  whole();
  gex_Segment_t none = GEX_SEGMENT_INVALID;
  EXPECT_EQ(gex_Segment_Create(&none, world.client, memory, ~std::size_t{0} - 8, GEX_MK_HOST, 0),
            GASNET_ERR_RESOURCE);
  ::munmap(memory, 7 * page);
}

}  // namespace
}  // namespace gondwana::gasnet::test
