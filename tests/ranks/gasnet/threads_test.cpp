// Several threads of a rank use the network at the same time.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr gex_AM_Index_t request_index = 200;
constexpr gex_AM_Index_t reply_index = 201;
constexpr std::size_t threads = 3;
constexpr std::size_t rounds = 60;
constexpr std::size_t puts_in_a_row = 100;
constexpr std::size_t put_bytes = 64;
constexpr std::size_t area = puts_in_a_row * put_bytes;  // of one thread
constexpr std::size_t segment_bytes = 64 * 1024;
static_assert(threads * area <= segment_bytes);

struct Counts {
  std::atomic<std::size_t> handled{0};
  std::atomic<std::size_t> answered{0};
};
// The counts of the rank that this thread belongs to.
thread_local Counts* counts = nullptr;

void take_request(gex_Token_t token, void* /*payload*/, std::size_t /*bytes*/) {
  ++counts->handled;
  gex_AM_ReplyShort0(token, reply_index, 0);
}

void take_reply(gex_Token_t /*token*/) {
  ++counts->answered;
}

// Fills one area of the neighbour repeatedly, and sends it messages between two puts.
void flood(World& world, std::size_t thread) {
  std::byte* there = world.segment_of(world.right()) + thread * area;
  const std::array<std::byte, 400> payload{};
  for (std::size_t round = 1; round <= rounds; ++round) {
    const std::vector<std::byte> source(put_bytes, static_cast<std::byte>(round));
    for (std::size_t i = 0; i < puts_in_a_row; ++i)
      gex_RMA_PutNBI(world.team, world.right(), there + i * put_bytes, source.data(), put_bytes,
                     GEX_EVENT_NOW, 0);
    for (const std::size_t size : {payload.size(), std::size_t{0}, std::size_t{64}})
      gex_AM_RequestMedium0(world.team, world.right(), request_index, payload.data(), size,
                            GEX_EVENT_NOW, 0);
    if (round % 8 == 0) gex_NBI_Wait(GEX_EC_ALL, 0);
  }
  gex_NBI_Wait(GEX_EC_ALL, 0);
}

// A thread that falls asleep must not use the network while another sends.
GASNET_TEST(threads_flood_puts_and_messages_at_once, 1) {
  if (world.client->door->threads() != ThreadMode::par) return;
  constexpr std::size_t all = 3 * threads * rounds;
  Counts own;
  counts = &own;
  std::byte* mine = world.attach(segment_bytes);
  world.add_handler(request_index, reinterpret_cast<gex_AM_Fn_t>(take_request),
                    GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0);
  world.add_handler(reply_index, reinterpret_cast<gex_AM_Fn_t>(take_reply),
                    GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 0);
  world.barrier();
  {
    std::vector<std::jthread> workers;
    workers.reserve(threads);
    for (std::size_t thread = 0; thread < threads; ++thread)
      workers.emplace_back([&, thread] {
        adopt(world);
        counts = &own;
        flood(world, thread);
      });
    GASNET_BLOCKUNTIL(own.answered == all && own.handled == all);
  }
  world.barrier();
  EXPECT_TRUE(std::ranges::all_of(std::span(mine, threads * area), [](std::byte each) {
    return each == static_cast<std::byte>(rounds);
  }));
  world.barrier();
}

}  // namespace
}  // namespace gondwana::gasnet::test
