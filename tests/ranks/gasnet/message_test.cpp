// Active messages: every category, size and number of arguments, fixed and negotiated payload,
// back-pressure.
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "core/assert.hpp"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr gex_Flags_t request = GEX_FLAG_AM_REQUEST;
constexpr gex_Flags_t reply = GEX_FLAG_AM_REPLY;
constexpr gex_AM_Index_t first = 200;
constexpr gex_AM_Index_t second = 201;
constexpr gex_AM_Index_t third = 202;

template <typename Function>
gex_AM_Fn_t handler(Function* function) {
  return reinterpret_cast<gex_AM_Fn_t>(function);
}

// The messages that the handlers of one rank have seen.
struct Seen {
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint64_t> sum{0};
  std::atomic<std::uint32_t> wrong{0};
};
thread_local Seen* seen = nullptr;

std::byte pattern(std::size_t i, std::size_t salt) {
  return static_cast<std::byte>(i * 31 + salt);
}

bool has_pattern(const void* payload, std::size_t size, std::size_t salt) {
  const auto* bytes = static_cast<const std::byte*>(payload);
  for (std::size_t i = 0; i < size; ++i)
    if (bytes[i] != pattern(i, salt)) return false;
  return true;
}

std::vector<std::byte> patterned(std::size_t size, std::size_t salt) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern(i, salt);
  return bytes;
}

void await_count(std::uint32_t count) {
  GASNET_BLOCKUNTIL(seen->count.load() >= count);
}

Seen& fresh() {
  static thread_local Seen mine;
  mine.count = 0;
  mine.sum = 0;
  mine.wrong = 0;
  seen = &mine;
  return mine;
}

void take_short(gex_Token_t /*token*/, gex_AM_Arg_t a, gex_AM_Arg_t b) {
  seen->sum += static_cast<std::uint64_t>(a) * 1000 + static_cast<std::uint64_t>(b);
  ++seen->count;
}

GASNET_TEST(a_short_request_brings_its_arguments, 2) {
  fresh();
  world.add_handler(first, handler(take_short), request | GEX_FLAG_AM_SHORT, 2);
  world.barrier();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(gex_AM_RequestShort2(world.team, world.right(), first, 0, i,
                                   static_cast<gex_AM_Arg_t>(world.me())),
              0);
  await_count(100);
  EXPECT_EQ(seen->sum.load(), 4950U * 1000 + 100 * world.left());
}

GASNET_TEST(a_message_to_oneself_is_handled_before_the_call_returns, 1) {
  fresh();
  world.add_handler(first, handler(take_short), request | GEX_FLAG_AM_SHORT, 2);
  world.barrier();
  for (std::uint32_t i = 1; i <= 50; ++i) {
    gex_AM_RequestShort2(world.team, world.me(), first, 0, 0, 1);
    EXPECT_EQ(seen->count.load(), i);
  }
}

void take_plain(gex_Token_t /*token*/) {
  ++seen->count;
}

// All ranks send before the barrier completes, and no rank sends to two.
GASNET_TEST(one_poll_handles_what_everybody_has_sent, 2) {
  fresh();
  world.add_handler(first, handler(take_plain), request | GEX_FLAG_AM_SHORT, 0);
  world.barrier();
  for (std::uint32_t round = 1; round <= 100; ++round) {
    if (world.me() != 0) gex_AM_RequestShort0(world.team, 0, first, 0);
    world.barrier();
    for (std::uint32_t polls = 1; world.me() == 0 && polls < world.size(); ++polls) gasnet_AMPoll();
    // A barrier does not push messages: messages of other nodes may arrive after it.
    if (world.me() == 0 && !world.is_on_one_node()) await_count(round * (world.size() - 1));
    EXPECT_EQ(seen->count.load(), world.me() == 0 ? round * (world.size() - 1) : 0);
    world.barrier();
  }
}

void take_sixteen(gex_Token_t /*token*/, gex_AM_Arg_t a0, gex_AM_Arg_t a1, gex_AM_Arg_t a2,
                  gex_AM_Arg_t a3, gex_AM_Arg_t a4, gex_AM_Arg_t a5, gex_AM_Arg_t a6,
                  gex_AM_Arg_t a7, gex_AM_Arg_t a8, gex_AM_Arg_t a9, gex_AM_Arg_t a10,
                  gex_AM_Arg_t a11, gex_AM_Arg_t a12, gex_AM_Arg_t a13, gex_AM_Arg_t a14,
                  gex_AM_Arg_t a15) {
  const std::array all{a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15};
  for (int i = 0; i < 16; ++i)
    if (all.at(static_cast<std::size_t>(i)) != i - 8) ++seen->wrong;
  ++seen->count;
}

GASNET_TEST(sixteen_arguments_arrive_in_order, 1) {
  fresh();
  world.add_handler(first, handler(take_sixteen), request | GEX_FLAG_AM_SHORT, 16);
  world.barrier();
  gex_AM_RequestShort16(world.team, world.right(), first, 0, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1,
                        2, 3, 4, 5, 6, 7);
  await_count(1);
  EXPECT_EQ(seen->wrong.load(), 0U);
}

void echo_medium(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t salt) {
  if (reinterpret_cast<std::uintptr_t>(payload) % 8 != 0) ++seen->wrong;
  gex_AM_ReplyMedium1(token, second, payload, size, GEX_EVENT_NOW, 0, salt);
}

void take_medium(gex_Token_t /*token*/, void* payload, std::size_t size, gex_AM_Arg_t salt) {
  if (!has_pattern(payload, size, static_cast<std::size_t>(salt))) ++seen->wrong;
  seen->sum += size;
  ++seen->count;
}

void add_echo(World& world) {
  world.add_handler(first, handler(echo_medium), request | GEX_FLAG_AM_MEDIUM, 1);
  world.add_handler(second, handler(take_medium), reply | GEX_FLAG_AM_MEDIUM, 1);
}

GASNET_TEST(mediums_of_every_size_come_back, 1) {
  fresh();
  add_echo(world);
  world.barrier();
  const std::size_t most = gex_AM_MaxRequestMedium(world.team, world.right(), GEX_EVENT_NOW, 0, 1);
  std::uint32_t sent = 0;
  std::uint64_t bytes = 0;
  for (std::size_t size = 0; size <= most; size = size < 200 ? size + 1 : size * 3 / 2) {
    const std::vector<std::byte> payload = patterned(size, sent);
    EXPECT_EQ(gex_AM_RequestMedium1(world.team, world.right(), first, payload.data(), size,
                                    GEX_EVENT_NOW, 0, static_cast<gex_AM_Arg_t>(sent)),
              0);
    ++sent;
    bytes += size;
  }
  const std::vector<std::byte> payload = patterned(most, 7);
  gex_AM_RequestMedium1(world.team, world.right(), first, payload.data(), most, GEX_EVENT_NOW, 0,
                        7);
  await_count(sent + 1);
  EXPECT_EQ(seen->sum.load(), bytes + most);
  world.barrier();
  EXPECT_EQ(seen->wrong.load(), 0U);
}

GASNET_TEST(negotiated_mediums_are_written_in_place, 1) {
  fresh();
  add_echo(world);
  world.barrier();
  std::uint32_t sent = 0;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, std::size_t{100}, std::size_t{5000}, std::size_t{65536}}) {
    gex_AM_SrcDesc_t descriptor = gex_AM_PrepareRequestMedium(world.team, world.right(), nullptr,
                                                              size, size + 10'000, nullptr, 0, 1);
    EXPECT_GE(gex_AM_SrcDescSize(descriptor), size);
    auto* place = static_cast<std::byte*>(gex_AM_SrcDescAddr(descriptor));
    for (std::size_t i = 0; i < size; ++i) place[i] = pattern(i, sent);
    gex_AM_CommitRequestMedium1(descriptor, first, size, static_cast<gex_AM_Arg_t>(sent));
    ++sent;
    const std::vector<std::byte> payload = patterned(size + 1, sent);
    if (size == 65536) continue;
    descriptor = gex_AM_PrepareRequestMedium(world.team, world.right(), payload.data(), size + 1,
                                             size + 1, GEX_EVENT_NOW, 0, 1);
    gex_AM_CommitRequestMedium1(descriptor, first, size + 1, static_cast<gex_AM_Arg_t>(sent));
    ++sent;
  }
  await_count(sent);
  EXPECT_EQ(seen->wrong.load(), 0U);
}

void take_long(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t salt) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_ALL);
  if (!has_pattern(payload, size, static_cast<std::size_t>(salt)) || info.gex_is_long != 1)
    ++seen->wrong;
  ++seen->count;
  if (info.gex_is_req != 0) {
    auto* back = static_cast<std::byte*>(payload) + size;
    gex_AM_ReplyShort1(token, third, 0, info.gex_ep->index == 0 && back != nullptr ? 1 : 0);
  }
}

void take_answer(gex_Token_t /*token*/, gex_AM_Arg_t fine) {
  if (fine != 1) ++seen->wrong;
  ++seen->count;
}

GASNET_TEST(a_long_lies_in_the_segment_before_its_handler_runs, 1) {
  fresh();
  world.add_handler(first, handler(take_long), request | GEX_FLAG_AM_LONG, 1);
  world.add_handler(third, handler(take_answer), reply | GEX_FLAG_AM_SHORT, 1);
  constexpr std::size_t size = 300'000;
  world.attach(std::size_t{1} << 20);
  const std::vector<std::byte> payload = patterned(size, 5);
  gex_Event_t done = GEX_EVENT_NO_OP;
  EXPECT_EQ(gex_AM_RequestLong1(world.team, world.right(), first, payload.data(), size,
                                world.segment_of(world.right()) + 64, &done, 0, 5),
            0);
  gex_Event_Wait(done);
  gex_AM_SrcDesc_t descriptor =
      gex_AM_PrepareRequestLong(world.team, world.right(), nullptr, 1000, 1000,
                                world.segment_of(world.right()) + 400'000, nullptr, 0, 1);
  auto* place = static_cast<std::byte*>(gex_AM_SrcDescAddr(descriptor));
  for (std::size_t i = 0; i < 1000; ++i) place[i] = pattern(i, 9);
  gex_AM_CommitRequestLong1(descriptor, first, 1000, world.segment_of(world.right()) + 400'000, 9);
  await_count(4);  // two requests, two answers
  world.barrier();
  EXPECT_EQ(seen->wrong.load(), 0U);
}

// Two ranks that only send to each other and never poll.
void answer_flood(gex_Token_t token, void* payload, std::size_t size) {
  seen->sum += size;
  gex_AM_ReplyMedium0(token, second, payload, size, GEX_EVENT_NOW, 0);
}
void take_flood(gex_Token_t /*token*/, void* /*payload*/, std::size_t /*size*/) {
  ++seen->count;
}

GASNET_TEST(floods_against_each_other_end, 1) {
  fresh();
  world.add_handler(first, handler(answer_flood), request | GEX_FLAG_AM_MEDIUM, 0);
  world.add_handler(second, handler(take_flood), reply | GEX_FLAG_AM_MEDIUM, 0);
  world.barrier();
  const std::vector<std::byte> payload(3000);
  constexpr std::uint32_t each = 500;
  for (std::uint32_t i = 0; i < each; ++i)
    for (gex_Rank_t to = 0; to < world.size(); ++to)
      gex_AM_RequestMedium0(world.team, to, first, payload.data(), payload.size(), GEX_EVENT_NOW,
                            0);
  await_count(each * world.size());
  world.barrier();
  EXPECT_EQ(seen->sum.load(), std::uint64_t{3000} * each * world.size());
}

void count_only(gex_Token_t /*token*/) {
  ++seen->count;
}

// The thread that joined makes no calls meanwhile.
GASNET_TEST(any_thread_of_a_client_with_several_runs_handlers, 1) {
  if (world.client->door->threads() == ThreadMode::seq) return;
  Seen& shared = fresh();
  world.add_handler(first, handler(answer_flood), request | GEX_FLAG_AM_MEDIUM, 0);
  world.add_handler(second, handler(take_flood), reply | GEX_FLAG_AM_MEDIUM, 0);
  world.barrier();
  std::jthread([&] {
    adopt(world);
    seen = &shared;
    constexpr std::uint32_t each = 100;
    const std::vector<std::byte> payload(3000);
    for (std::uint32_t i = 0; i < each; ++i)
      gex_AM_RequestMedium0(world.team, world.right(), first, payload.data(), payload.size(),
                            GEX_EVENT_NOW, 0);
    await_count(each);
    gex_Event_Wait(gex_Coll_BarrierNB(world.team, 0));
  }).join();
}

GASNET_TEST(immediate_refuses_where_a_receiver_does_not_poll, 2) {
  fresh();
  world.add_handler(first, handler(count_only), request | GEX_FLAG_AM_SHORT, 0);
  world.barrier();
  std::uint32_t sent = 0;
  if (world.me() == 0) {
    while (gex_AM_RequestShort0(world.team, 1, first, GEX_FLAG_IMMEDIATE) == 0) ++sent;
    EXPECT_GE(sent, 4U);
    if (world.size() > 2) {  // others have credit of their own
      EXPECT_EQ(gex_AM_RequestShort0(world.team, 2, first, GEX_FLAG_IMMEDIATE), 0);
    }
  }
  world.barrier();
  if (world.me() == 1) {
    GASNET_BLOCKUNTIL(seen->count.load() > 3);
  }
  world.barrier();
}

GASNET_TEST(a_cancelled_message_gives_its_room_back, 2) {
  fresh();
  world.add_handler(first, handler(count_only), request | GEX_FLAG_AM_SHORT, 0);
  world.barrier();
  for (int i = 0; i < 200; ++i) {
    gex_AM_SrcDesc_t descriptor =
        gex_AM_PrepareRequestMedium(world.team, world.right(), nullptr, 1000, 65536, nullptr, 0, 0);
    EXPECT_EQ(gex_AM_CancelRequestMedium(descriptor, 0), GASNET_OK);
  }
}

// Checked even with checks disabled: the message would go to an arbitrary rank.
GASNET_TEST(a_rank_that_does_not_exist_is_a_sentence, 1) {
  world.attach(4096);
  const gex_Rank_t beyond = world.size() + 74;
  void* const there = world.segment_of(world.me());
  const long value = 0;
  EXPECT_THROW(gex_AM_RequestShort0(world.team, beyond, first, 0), GaveUp);
  EXPECT_THROW(gex_AM_RequestMedium0(world.team, beyond, first, &value, 8, GEX_EVENT_NOW, 0),
               GaveUp);
  EXPECT_THROW(gex_AM_RequestLong0(world.team, beyond, first, &value, 8, there, GEX_EVENT_NOW, 0),
               GaveUp);
  EXPECT_THROW(gex_AM_PrepareRequestMedium(world.team, beyond, nullptr, 1, 100, nullptr, 0, 0),
               GaveUp);
  EXPECT_THROW(gex_RMA_PutBlocking(world.team, beyond, there, &value, 8, 0), GaveUp);
  EXPECT_THROW(gex_TM_TranslateRankToJobrank(world.team, beyond), GaveUp);
  EXPECT_THROW(gex_TM_TranslateRankToEP(world.team, beyond, 0), GaveUp);
  EXPECT_THROW(gex_Segment_QueryBound(world.team, beyond, nullptr, nullptr, nullptr), GaveUp);
}

GASNET_TEST(wrong_use_of_a_handler_is_a_sentence, 1, true) {
  fresh();
  world.add_handler(first, handler(count_only), request | GEX_FLAG_AM_SHORT, 0);
  world.barrier();
  EXPECT_THROW(gex_AM_RequestShort0(world.team, world.size(), first, 0), GaveUp);
  EXPECT_THROW(gex_AM_RequestShort0(world.team, world.me(), second, 0), GaveUp);
}

}  // namespace
}  // namespace gondwana::gasnet::test
