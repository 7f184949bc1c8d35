// Noncontiguous transfers: empty ones, and ones beyond the segment.
#include "gasnet_vis.h"

#include <array>
#include <atomic>

#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr gex_AM_Index_t told = 200;
thread_local std::uint32_t times_told = 0;

void note(gex_Token_t /*token*/, void* /*payload*/, size_t size) {
  times_told += size == 1 ? 1 : 0;
}

GASNET_TEST(a_transfer_of_nothing_looks_at_nothing_else, 1) {
  const std::array<std::size_t, 2> none{3, 0};
  const std::array<std::size_t, 2> some{3, 2};
  const std::array<std::ptrdiff_t, 2> strides{8, 64};
  const auto put = [&](std::size_t element, const std::size_t* counts) {
    return gex_VIS_StridedPutBlocking(GEX_TM_INVALID, GEX_RANK_INVALID, nullptr, strides.data(),
                                      nullptr, strides.data(), element, counts, 2, 0);
  };
  EXPECT_EQ(put(8, none.data()), 0);
  EXPECT_EQ(put(0, some.data()), 0);
  EXPECT_EQ(gex_VIS_StridedGetBlocking(GEX_TM_INVALID, nullptr, strides.data(), GEX_RANK_INVALID,
                                       nullptr, strides.data(), 8, none.data(), 2, 0),
            0);
  EXPECT_EQ(gex_VIS_IndexedPutBlocking(GEX_TM_INVALID, 0, 0, nullptr, 8, 0, nullptr, 8, 0), 0);
  EXPECT_EQ(gex_VIS_VectorPutBlocking(GEX_TM_INVALID, 0, 0, nullptr, 0, nullptr, 0), 0);
}

GASNET_TEST(a_put_of_nothing_tells_the_peer, 1) {
  world.add_handler(told, reinterpret_cast<gex_AM_Fn_t>(&note),
                    GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0);
  times_told = 0;
  world.barrier();
  const char payload = 'x';
  gex_VIS_SetPeerCompletionHandler(told, &payload, 1, 0);
  const std::size_t none = 0;
  const std::ptrdiff_t stride = 8;
  gex_VIS_StridedPutBlocking(world.team, world.right(), nullptr, &stride, nullptr, &stride, 8,
                             &none, 1, 0);
  GASNET_BLOCKUNTIL(times_told == 1);
  world.barrier();
  EXPECT_EQ(times_told, 1U);
}

// More puts than the queue holds, to a rank that handles none before it has sent its own.
GASNET_TEST(many_puts_tell_the_peer_each_once, 1) {
  constexpr unsigned many = 500;
  world.add_handler(told, reinterpret_cast<gex_AM_Fn_t>(&note),
                    GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0);
  times_told = 0;
  world.attach(4096);
  world.barrier();
  std::byte* there = world.segment_of(world.right());
  const std::array<std::size_t, 1> count{2};
  const std::array<std::ptrdiff_t, 1> apart{16};
  std::array<std::byte, 32> source{};
  for (unsigned i = 0; i < many; ++i) {
    const char payload = 'x';
    gex_VIS_SetPeerCompletionHandler(told, &payload, 1, 0);
    gex_VIS_StridedPutBlocking(world.team, world.right(), there, apart.data(), source.data(),
                               apart.data(), 8, count.data(), 1, 0);
  }
  GASNET_BLOCKUNTIL(times_told == many);
  world.barrier();
  EXPECT_EQ(times_told, many);
}

// The call moves blocks in the segment, up to its end, and refuses a block beyond it.
GASNET_TEST(each_address_of_a_list_lies_in_the_segment, 1) {
  constexpr std::size_t size = 4096;
  std::byte* segment = world.attach(size);
  world.barrier();
  for (const std::size_t length : {1UL, 2UL, 4UL, 8UL, 16UL, 24UL, 64UL, 300UL}) {
    std::array<std::byte, 300> data{};
    data.fill(static_cast<std::byte>(length));
    std::byte* there = world.segment_of(world.right());
    void* own = data.data();
    const auto put = [&](std::byte* first, std::byte* second) {
      const std::array<void*, 2> to{first, second};
      const std::array<void*, 2> from{own, own};
      return gex_VIS_IndexedPutBlocking(world.team, world.right(), 2, to.data(), length, 2,
                                        from.data(), length, 0);
    };
    EXPECT_EQ(put(there, there + size - length), 0);
    EXPECT_THROW(put(there, there + size - length + 1), GaveUp);
    EXPECT_THROW(put(there - 1, there), GaveUp);
    world.barrier();
    EXPECT_EQ(segment[0], static_cast<std::byte>(length));
    EXPECT_EQ(segment[size - 1], static_cast<std::byte>(length));
    world.barrier();
  }
}

// Offsets as addresses, at both ends.
GASNET_TEST(lists_may_hold_offsets, 1) {
  auto* segment = reinterpret_cast<std::uint64_t*>(world.attach(4096));
  segment[4] = world.me();
  world.barrier();
  const std::array<void*, 1> to{reinterpret_cast<void*>(64)};
  const std::array<void*, 1> from{reinterpret_cast<void*>(32)};
  gex_VIS_IndexedPutBlocking(world.team, world.right(), 1, to.data(), 8, 1, from.data(), 8,
                             GEX_FLAG_PEER_SEG_OFFSET | GEX_FLAG_SELF_SEG_OFFSET);
  world.barrier();
  EXPECT_EQ(segment[8], world.left());
  world.barrier();
}

}  // namespace
}  // namespace gondwana::gasnet::test
