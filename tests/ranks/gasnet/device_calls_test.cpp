// Messages, lists, strides, atomic domains and collectives with memory of devices.
#include <array>
#include <vector>

#include "gasnet_coll.h"
#include "gasnet_mk.h"
#include "gasnet_ratomic.h"
#include "gasnet_vis.h"
#include "ranks/gasnet/device_segments.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr gex_AM_Index_t medium_index = 200;
constexpr gex_AM_Index_t long_index = 201;
thread_local std::vector<std::byte> brought;
thread_local void* announced = nullptr;
thread_local std::uint32_t messages = 0;

void take_medium(gex_Token_t /*token*/, void* payload, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(payload);
  brought.assign(bytes, bytes + size);
  ++messages;
}
void take_long(gex_Token_t /*token*/, void* payload, std::size_t /*size*/) {
  announced = payload;
  ++messages;
}
void listen(World& world) {
  messages = 0;
  world.add_handler(medium_index, reinterpret_cast<gex_AM_Fn_t>(&take_medium),
                    GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0);
  world.add_handler(long_index, reinterpret_cast<gex_AM_Fn_t>(&take_long),
                    GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_LONG, 0);
}
void await_message() {
  GASNET_BLOCKUNTIL(messages > 0);
  messages = 0;
}

GASNET_TEST(messages_carry_payloads_of_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  listen(world);
  world.barrier();
  const gex_TM_t team = places.team(Places::on_first, Places::on_host);
  const std::size_t most = gex_AM_MaxRequestMedium(team, world.right(), GEX_EVENT_NOW, 0, 0);
  for (const std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{4095},
                                 std::size_t{4096}, std::size_t{4097}, most}) {
    places.write(Places::on_first, pattern(size, world.me()));
    gex_AM_RequestMedium0(team, world.right(), medium_index, places.data(Places::on_first), size,
                          GEX_EVENT_NOW, 0);
    await_message();
    EXPECT_EQ(brought, pattern(size, world.left())) << size;
    world.barrier();
    const gex_AM_SrcDesc_t prepared = gex_AM_PrepareRequestMedium(
        team, world.right(), places.data(Places::on_first), size, size, GEX_EVENT_NOW, 0, 0);
    gex_AM_CommitRequestMedium0(prepared, medium_index, size);
    await_message();
    EXPECT_EQ(brought, pattern(size, world.left())) << size;
    world.barrier();
  }
}

GASNET_TEST(long_messages_reach_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  listen(world);
  world.barrier();
  for (const Places::Place from : Places::all)
    for (const Places::Place to : Places::all)
      for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, std::size_t{300'000}}) {
        const gex_TM_t team = places.team(from, to);
        std::byte* there = places.there(to, world.right()) + size;
        const std::size_t salt = world.me() + 3 * from + to;
        places.write(from, pattern(size, salt));
        world.barrier();
        while (gex_AM_RequestLong0(team, world.right(), long_index, places.data(from), size, there,
                                   GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE) != 0)
          gasnet_AMPoll();
        await_message();
        EXPECT_EQ(announced, places.data(to) + size);
        const std::vector<std::byte> all = places.read(to, 2 * size);
        EXPECT_EQ(std::vector(all.begin() + static_cast<std::ptrdiff_t>(size), all.end()),
                  pattern(size, world.left() + 3 * from + to))
            << size;
        world.barrier();
        const gex_AM_SrcDesc_t prepared = gex_AM_PrepareRequestLong(
            team, world.right(), places.data(from), size, size, there, GEX_EVENT_NOW, 0, 0);
        places.write(from, pattern(size, salt + 50));
        gex_AM_CommitRequestLong0(prepared, long_index, size, there);
        await_message();
        const std::vector<std::byte> again = places.read(to, 2 * size);
        EXPECT_EQ(std::vector(again.begin() + static_cast<std::ptrdiff_t>(size), again.end()),
                  pattern(size, world.left() + 3 * from + to + 50))
            << size;
        world.barrier();
        const gex_AM_SrcDesc_t empty = gex_AM_PrepareRequestLong(
            team, world.right(), places.data(from), size, size, there, GEX_EVENT_NOW, 0, 0);
        gex_AM_CommitRequestLong0(empty, long_index, 0, there);
        await_message();
        world.barrier();
      }
}

// Each form moves the first 8 of every 24 bytes of a source to the first 8 of every 40 of a target.
GASNET_TEST(vectors_indices_and_strides_reach_a_device, 1) {
  NEEDS_DEVICES();
  constexpr std::size_t rows = 300;
  const Places places(world);
  const std::array<std::size_t, 1> count{rows};
  const std::array<std::ptrdiff_t, 1> near_step{24};
  const std::array<std::ptrdiff_t, 1> far_step{40};
  for (const Places::Place here : Places::all)
    for (const Places::Place other : Places::all) {
      const gex_TM_t team = places.team(here, other);
      std::byte* ours = places.data(here) + 1024;
      std::byte* theirs = places.there(other, world.right()) + std::ptrdiff_t{64} * 1024;
      std::vector<void*> near_list;
      std::vector<void*> far_list;
      std::vector<gex_Memvec_t> near_vector;
      std::vector<gex_Memvec_t> far_vector;
      for (std::size_t i = 0; i < rows; ++i) {
        near_vector.push_back({near_list.emplace_back(ours + 24 * i), 8});
        far_vector.push_back({far_list.emplace_back(theirs + 40 * i), 8});
      }
      const auto right = world.right();
      const auto begin = [&](std::size_t salt) {
        world.barrier();
        places.write(here, pattern(1024 + 24 * rows, salt + world.me()));
        world.barrier();
      };
      // What was put here, read back, and compared with what the left neighbor has sent.
      const auto check = [&](std::size_t salt) {
        world.barrier();
        const std::vector<std::byte> all = places.read(other, 64 * 1024 + 40 * rows);
        const std::vector<std::byte> sent = pattern(1024 + 24 * rows, salt + world.left());
        for (std::size_t i = 0; i < rows; ++i)
          EXPECT_EQ(all[64 * 1024 + 40 * i + 7], sent[1024 + 24 * i + 7]);
        world.barrier();
        places.write(here, std::vector<std::byte>(1024 + 24 * rows));
      };
      const auto check_got = [&](std::size_t salt) {
        const std::vector<std::byte> got = places.read(here, 1024 + 24 * rows);
        const std::vector<std::byte> sent = pattern(1024 + 24 * rows, salt + world.me());
        for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(got[1024 + 24 * i], sent[1024 + 24 * i]);
      };
      begin(1);
      gex_VIS_StridedPutBlocking(team, right, theirs, far_step.data(), ours, near_step.data(), 8,
                                 count.data(), 1, 0);
      check(1);
      gex_VIS_StridedGetBlocking(team, ours, near_step.data(), right, theirs, far_step.data(), 8,
                                 count.data(), 1, 0);
      check_got(1);
      begin(2);
      gex_VIS_VectorPutBlocking(team, right, rows, far_vector.data(), rows, near_vector.data(), 0);
      check(2);
      gex_VIS_VectorGetBlocking(team, rows, near_vector.data(), right, rows, far_vector.data(), 0);
      check_got(2);
      begin(3);
      gex_VIS_IndexedPutBlocking(team, right, rows, far_list.data(), 8, rows, near_list.data(), 8,
                                 0);
      check(3);
      gex_VIS_IndexedGetBlocking(team, rows, near_list.data(), 8, right, rows, far_list.data(), 8,
                                 0);
      check_got(3);
    }
}

GASNET_TEST(atomic_domains_reach_words_of_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  std::vector<gex_EP_Location_t> members;
  members.reserve(world.size());
  for (gex_Rank_t i = 0; i < world.size(); ++i)
    members.push_back({i, places.index(Places::on_first)});
  gex_TM_t team = GEX_TM_INVALID;
  gex_TM_Create(&team, 1, world.team, members.data(), members.size(), nullptr, 0,
                GEX_FLAG_TM_NO_SCRATCH);
  gex_AD_t words = GEX_AD_INVALID;
  gex_AD_Create(&words, team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_CAS | GEX_OP_GET, 0);
  gex_AD_t numbers = GEX_AD_INVALID;
  gex_AD_Create(&numbers, team, GEX_DT_DBL, GEX_OP_ADD, 0);
  std::byte* there = places.there(Places::on_first, 0);
  for (int i = 0; i < 20; ++i) {
    std::uint64_t old = 0;
    gex_Event_Wait(gex_AD_OpNB_U64(words, &old, 0, there, GEX_OP_FADD, 3, 0, 0));
    EXPECT_EQ(old % 3, 0U);
    gex_Event_Wait(gex_AD_OpNB_DBL(numbers, nullptr, 0, there + 8, GEX_OP_ADD, 0.5, 0, 0));
  }
  world.barrier();
  std::uint64_t sum = 0;
  gex_Event_Wait(gex_AD_OpNB_U64(words, &sum, 0, there, GEX_OP_GET, 0, 0, 0));
  EXPECT_EQ(sum, 60U * world.size());
  if (world.me() == 0) {
    double number = 0;
    std::memcpy(&number, places.read(Places::on_first, 16).data() + 8, sizeof(number));
    EXPECT_EQ(number, 10.0 * world.size());
  }
  world.barrier();
  gex_AD_Destroy(numbers);
  gex_AD_Destroy(words);
}

// Every other rank has its arrays on a device.
GASNET_TEST(collectives_take_arrays_of_a_device, 1) {
  NEEDS_DEVICES();
  const Places places(world);
  const Places::Place place = world.me() % 2 == 0 ? Places::on_first : Places::on_host;
  std::byte* source = places.data(place);
  for (const std::size_t count : {std::size_t{1}, std::size_t{2000}, std::size_t{40'000}}) {
    const std::size_t bytes = count * sizeof(long);
    std::byte* dest = source + bytes;
    const auto begin = [&] {
      const std::vector<long> values = numbers(count, 100L * world.me());
      places.write(place, std::as_bytes(std::span(values)));
      world.barrier();
    };
    const auto result = [&](std::size_t i) {
      long value = 0;
      door().devices().copy("test", &value, dest + i * sizeof(long), sizeof(value));
      return value;
    };
    const auto last = static_cast<long>(count) - 1;
    const auto ranks = static_cast<long>(world.size());
    begin();
    gex_Event_Wait(gex_Coll_BroadcastNB(world.team, world.size() - 1, dest, source, bytes, 0));
    EXPECT_EQ(result(count - 1), 100 * (ranks - 1) + last);
    gex_Event_Wait(gex_Coll_ReduceToAllNB(world.team, dest, source, GEX_DT_I64, sizeof(long), count,
                                          GEX_OP_ADD, nullptr, nullptr, 0));
    EXPECT_EQ(result(count - 1), 50 * ranks * (ranks - 1) + ranks * last);
    gex_Event_Wait(gex_Coll_ReduceToOneNB(world.team, 0, dest, source, GEX_DT_I64, sizeof(long),
                                          count, GEX_OP_MAX, nullptr, nullptr, 0));
    if (world.me() == 0) {
      EXPECT_EQ(result(0), 100 * (ranks - 1));
    }
    world.barrier();
    if (bytes * (world.size() + 1) > segment_size) continue;
    gasnet_coll_gather_all(world.team, dest, source, bytes,
                           GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    for (gex_Rank_t rank = 0; rank < world.size(); ++rank)
      EXPECT_EQ(result(rank * count), 100L * rank);
    gasnet_coll_gather_all(world.team, dest, source, bytes,
                           GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    EXPECT_EQ(result(count * world.size() - 1), 100 * (ranks - 1) + last);
    world.barrier();
  }
}

}  // namespace
}  // namespace gondwana::gasnet::test
