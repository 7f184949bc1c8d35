// A rank that waits serves messages of its node without a sleep between them.
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/load.hpp"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr gex_AM_Index_t request_index = 200;
constexpr gex_AM_Index_t reply_index = 201;
constexpr long trips = 300;
// The time between two requests: long enough to fall asleep, short enough to stay awake.
constexpr std::chrono::microseconds pause{20};

thread_local long answers = 0;

void serve_request(gex_Token_t token) {
  gex_AM_ReplyShort0(token, reply_index, 0);
}

void take_served_answer(gex_Token_t /*token*/) {
  ++answers;
}

// The number of sleeps of this thread.
long sleeps() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

void ask_many_times(World& world) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the server has fallen asleep
  for (long i = 0; i < trips; ++i) {
    const long next = answers + 1;
    gex_AM_RequestShort0(world.team, 1, request_index, 0);
    GASNET_BLOCKUNTIL(answers == next);
    const auto end = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < end) continue;
  }
}

// Needs an idle processor for every rank. Rank 1 is in wait() while rank 0 sends requests, until
// rank 0 calls end(); all other ranks are in both. A busy machine may still put rank 1 to sleep, so
// one round of many must succeed.
template <typename Wait, typename End>
void a_server_stays_awake(World& world, const Wait& wait, const End& end) {
  constexpr int most_rounds = 20;
  static std::atomic<bool> stayed_awake;  // ranks are threads
  world.add_handler(request_index, reinterpret_cast<gex_AM_Fn_t>(serve_request),
                    GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 0);
  world.add_handler(reply_index, reinterpret_cast<gex_AM_Fn_t>(take_served_answer),
                    GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 0);
  if (world.me() == 0) stayed_awake = false;
  world.barrier();
  const bool near =
      door().engine().rma().reaches_all() && !door().engine().locks().is_oversubscribed;
  bool go_on = true;
  for (int round = 1; round <= most_rounds && go_on; ++round) {
    if (world.me() == 0) {
      ask_many_times(world);
      end(round);
    } else {
      const long before = sleeps();
      wait(round);
      if (world.me() == 1 && sleeps() - before < trips / 4) stayed_awake = true;
    }
    world.barrier();
    go_on = near && !stayed_awake;
    world.barrier();
  }
  if (near && slowdown() == 1) {
    EXPECT_TRUE(stayed_awake);
  }
}

GASNET_TEST(a_rank_in_a_barrier_serves_messages_without_a_sleep, 2) {
  const auto meet = [&](int /*round*/) { gex_Event_Wait(gex_Coll_BarrierNB(world.team, 0)); };
  a_server_stays_awake(world, meet, meet);
}

GASNET_TEST(a_rank_that_waits_for_events_serves_messages_without_a_sleep, 2) {
  const auto meet = [&](int /*round*/) {
    std::array<gex_Event_t, 1> events{gex_Coll_BarrierNB(world.team, 0)};
    gex_Event_WaitAll(events.data(), events.size(), 0);
  };
  a_server_stays_awake(world, meet, meet);
}

GASNET_TEST(a_rank_that_waits_for_a_word_serves_messages_without_a_sleep, 2) {
  auto* word = reinterpret_cast<std::uint64_t*>(world.attach(GASNET_PAGESIZE));
  const auto wait = [&](int round) {
    if (world.me() != 1) return;
    door().engine().waiter().until({.call = "word", .on_program_memory = true, .word = word}, [&] {
      return std::atomic_ref(*word).load(std::memory_order_acquire) ==
             static_cast<std::uint64_t>(round);
    });
  };
  const auto end = [&](int round) {
    const auto value = static_cast<std::uint64_t>(round);
    gex_RMA_PutBlocking(world.team, 1, world.segment_of(1), &value, sizeof(value), 0);
  };
  a_server_stays_awake(world, wait, end);
}

}  // namespace
}  // namespace gondwana::gasnet::test
