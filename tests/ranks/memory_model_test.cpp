// The memory model of the specification as litmus tests: small programs with a forbidden outcome.
// Each runs many rounds, with values that name the round.
#include <vector>

#include "front/shmem/signal.hpp"
#include "front/shmem/waiting.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

constexpr long rounds = 200;
constexpr std::size_t payload = 40;

// One rank writes a message and then a flag, the other waits for the flag and reads the message.
// `send(round)` writes `payload` cells with the value `round` and orders the flag after them.
template <typename Send>
void message_passing(World& world, const Send& send) {
  const auto message = world.allocate<long>(payload);
  const auto flag = world.allocate<long>();
  for (long round = 1; round <= rounds; ++round) {
    if (world.me() == 0) send(message, flag, round);
    if (world.me() == 1) {
      wait_until(world.as("wait"), flag.data(), SHMEM_CMP_EQ, round);
      EXPECT_TRUE(std::ranges::all_of(message, [&](long cell) { return cell == round; }));
    }
    world.barrier();
  }
  world.free(flag);
  world.free(message);
}

std::vector<long> filled(long value) {
  return std::vector<long>(payload, value);
}

RANK_TEST(a_fence_orders_a_put_before_a_value, ranks(2)) {
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    put<8>(world.as("put"), message.data(), filled(round).data(), payload, 1);
    fence(world.as("fence"));
    p(world.as("p"), flag.data(), round, 1);
  });
}

RANK_TEST(a_fence_orders_values_before_an_atomic, ranks(2)) {
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    for (long& cell : message) p(world.as("p"), &cell, round, 1);
    fence(world.as("fence"));
    atomic<AtomicOp::add>(world.as("add"), flag.data(), 1L, 1);
  });
}

RANK_TEST(a_fence_orders_atomics_before_a_value, ranks(2)) {
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    for (long& cell : message) atomic_set(world.as("set"), &cell, round, 1);
    fence(world.as("fence"));
    p(world.as("p"), flag.data(), round, 1);
  });
}

RANK_TEST(a_fence_orders_a_nonblocking_put_before_a_value, ranks(2)) {
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    const std::vector<long> source = filled(round);
    put_nbi<8>(world.as("put_nbi"), message.data(), source.data(), payload, 1);
    fence(world.as("fence"));
    p(world.as("p"), flag.data(), round, 1);
    quiet(world.as("quiet"));  // the source may be reused only now
  });
}

RANK_TEST(a_fence_orders_a_strided_put_before_a_value, ranks(2)) {
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    const std::vector<long> source = filled(round);
    iput<8>(world.as("iput"), message.data(), source.data(), 2, 2, payload / 2, 1);
    iput<8>(world.as("iput"), message.data() + 1, source.data(), 2, 2, payload / 2, 1);
    fence(world.as("fence"));
    p(world.as("p"), flag.data(), round, 1);
  });
}

RANK_TEST(a_fence_orders_stores_through_a_pointer_before_a_value, ranks(2)) {
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    auto* remote = static_cast<long*>(world.engine().rma().pointer_to(Rank(1), message.data()));
    if (remote == nullptr) {  // out of reach: then a put must do
      put<8>(world.as("put"), message.data(), filled(round).data(), payload, 1);
    } else {
      for (std::size_t i = 0; i < payload; ++i) remote[i] = round;
    }
    fence(world.as("fence"));
    p(world.as("p"), flag.data(), round, 1);
  });
}

RANK_TEST(a_fence_of_a_context_orders_what_went_through_it, ranks(2)) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(ctx_create(world.as("create"), SHMEM_CTX_SERIALIZED, &context), 0);
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    put<8>(world.in(context, "put"), message.data(), filled(round).data(), payload, 1);
    fence(world.in(context, "fence"));
    p(world.in(context, "p"), flag.data(), round, 1);
  });
  ctx_destroy(world.as("destroy"), context);
}

// A header, then a put that may overtake earlier messages on a network. The last cell of that put
// is the flag, which is a race: the standard promises no single store for a put of many cells.
constexpr std::size_t bounced_body = 512;  // in cells: copied before it leaves
constexpr std::size_t large_body = 2048;

template <typename SendHeader, typename SendBody>
void header_before_body(World& world, std::size_t cells, const SendHeader& send_header,
                        const SendBody& send_body) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the flag is a cell of a larger put, and ThreadSanitizer reports the race";
#endif
  const auto header = world.allocate<long>(payload);
  const auto body = world.allocate<long>(cells);
  for (long round = 1; round <= rounds / 4; ++round) {
    if (world.me() == 0) {
      const std::vector<long> source(cells, round);
      send_header(header, round);
      fence(world.as("fence"));
      send_body(body, source);
      quiet(world.as("quiet"));
    }
    if (world.me() == 1) {
      wait_until(world.as("wait"), &body.back(), SHMEM_CMP_EQ, round);
      EXPECT_TRUE(std::ranges::all_of(header, [&](long cell) { return cell == round; }));
    }
    world.barrier();
  }
  world.free(body);
  world.free(header);
}

RANK_TEST(a_fence_orders_values_before_a_larger_put, ranks(2)) {
  for (const std::size_t cells : {bounced_body, large_body}) {
    header_before_body(
        world, cells,
        [&](std::span<long> header, long round) {
          for (long& cell : header) p(world.as("p"), &cell, round, 1);
        },
        [&](std::span<long> body, const std::vector<long>& source) {
          put<8>(world.as("put"), body.data(), source.data(), source.size(), 1);
        });
  }
}

RANK_TEST(a_fence_orders_atomics_before_a_larger_put, ranks(2)) {
  header_before_body(
      world, large_body,
      [&](std::span<long> header, long) {
        for (long& cell : header) atomic<AtomicOp::add>(world.as("add"), &cell, 1L, 1);
      },
      [&](std::span<long> body, const std::vector<long>& source) {
        put<8>(world.as("put"), body.data(), source.data(), source.size(), 1);
      });
}

RANK_TEST(a_fence_orders_a_small_put_before_a_larger_nonblocking_one, ranks(2)) {
  header_before_body(
      world, large_body,
      [&](std::span<long> header, long round) {
        put<8>(world.as("put"), header.data(), filled(round).data(), payload, 1);
      },
      [&](std::span<long> body, const std::vector<long>& source) {
        put_nbi<8>(world.as("put_nbi"), body.data(), source.data(), source.size(), 1);
      });
}

RANK_TEST(a_fence_orders_a_strided_put_before_a_larger_put_with_a_signal, ranks(2)) {
  const auto signal = world.allocate<std::uint64_t>();
  header_before_body(
      world, large_body,
      [&](std::span<long> header, long round) {
        const std::vector<long> source = filled(round);
        iput<8>(world.as("iput"), header.data(), source.data(), 2, 2, payload / 2, 1);
        iput<8>(world.as("iput"), header.data() + 1, source.data(), 2, 2, payload / 2, 1);
      },
      [&](std::span<long> body, const std::vector<long>& source) {
        put_signal<8>(world.as("put_signal"), body.data(), source.data(), source.size(),
                      signal.data(), 1, SHMEM_SIGNAL_ADD, 1);
      });
  world.free(signal);
}

RANK_TEST(a_fence_of_a_context_orders_values_before_a_larger_put, ranks(2)) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the flag is a cell of a larger put, and ThreadSanitizer reports the race";
#endif
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(ctx_create(world.as("create"), 0, &context), 0);
  const auto header = world.allocate<long>();
  const auto body = world.allocate<long>(large_body);
  for (long round = 1; round <= rounds / 4; ++round) {
    if (world.me() == 0) {
      const std::vector<long> source(large_body, round);
      p(world.in(context, "p"), header.data(), round, 1);
      fence(world.in(context, "fence"));
      put<8>(world.in(context, "put"), body.data(), source.data(), source.size(), 1);
    }
    if (world.me() == 1) {
      wait_until(world.as("wait"), &body.back(), SHMEM_CMP_EQ, round);
      EXPECT_EQ(Cells(world.as("look"), header.data()).load(), round);
    }
    world.barrier();
  }
  world.free(body);
  world.free(header);
  ctx_destroy(world.as("destroy"), context);
}

// The larger, later put must remain.
RANK_TEST(a_fence_orders_two_puts_to_the_same_place, ranks(2)) {
  const auto body = world.allocate<long>(large_body);
  for (long round = 1; round <= rounds / 2; ++round) {
    if (world.me() == 0) {
      const std::vector<long> source(large_body, round);
      put<8>(world.as("put"), body.data(), filled(-round).data(), payload, 1);
      fence(world.as("fence"));
      put<8>(world.as("put"), body.data(), source.data(), source.size(), 1);
    }
    world.barrier();
    if (world.me() == 1) {
      EXPECT_TRUE(std::ranges::all_of(body, [&](long cell) { return cell == round; }));
    }
    world.barrier();
  }
  world.free(body);
}

RANK_TEST(a_quiet_of_one_context_comes_before_what_another_sends, ranks(2)) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(ctx_create(world.as("create"), 0, &context), 0);
  message_passing(world, [&](std::span<long> message, std::span<long> flag, long round) {
    put<8>(world.in(context, "put"), message.data(), filled(round).data(), payload, 1);
    quiet(world.in(context, "quiet"));
    p(world.as("p"), flag.data(), round, 1);
  });
  ctx_destroy(world.as("destroy"), context);
}

RANK_TEST(a_signal_comes_after_its_data, ranks(2)) {
  const auto message = world.allocate<long>(payload);
  const auto signal = world.allocate<std::uint64_t>();
  for (long round = 1; round <= rounds; ++round) {
    if (world.me() == 0)
      put_signal<8>(world.as("put_signal"), message.data(), filled(round).data(), payload,
                    signal.data(), 1, SHMEM_SIGNAL_ADD, 1);
    if (world.me() == 1) {
      const auto expected = static_cast<std::uint64_t>(round);
      EXPECT_EQ(signal_wait_until(world.as("wait"), signal.data(), SHMEM_CMP_GE, expected),
                expected);
      EXPECT_TRUE(std::ranges::all_of(message, [&](long cell) { return cell == round; }));
    }
    world.barrier();
  }
  world.free(signal);
  world.free(message);
}

// Rank 0 writes to rank 1 and notifies rank 2, which must find the write there.
RANK_TEST(what_is_quiet_is_visible_to_a_third_rank, ranks(3)) {
  const auto message = world.allocate<long>(payload);
  const auto flag = world.allocate<long>();
  for (long round = 1; round <= rounds; ++round) {
    if (world.me() == 0) {
      put<8>(world.as("put"), message.data(), filled(round).data(), payload, 1);
      quiet(world.as("quiet"));
      p(world.as("p"), flag.data(), round, 2);
    }
    if (world.me() == 2) {
      wait_until(world.as("wait"), flag.data(), SHMEM_CMP_EQ, round);
      std::vector<long> seen(payload);
      get<8>(world.as("get"), seen.data(), message.data(), payload, 1);
      EXPECT_EQ(seen, filled(round));
    }
    world.barrier();
  }
  world.free(flag);
  world.free(message);
}

// Rank 0 writes to rank 2 and notifies rank 1. Rank 1 notifies rank 2, which sees the write.
RANK_TEST(causes_come_before_effects_across_three_ranks, ranks(3)) {
  const auto message = world.allocate<long>(payload);
  const auto flag = world.allocate<long>();
  for (long round = 1; round <= rounds; ++round) {
    if (world.me() == 0) {
      put<8>(world.as("put"), message.data(), filled(round).data(), payload, 2);
      quiet(world.as("quiet"));
      p(world.as("p"), flag.data(), round, 1);
    } else if (world.me() <= 2) {
      wait_until(world.as("wait"), flag.data(), SHMEM_CMP_EQ, round);
      if (world.me() == 1) p(world.as("p"), flag.data(), round, 2);
      if (world.me() == 2) {
        EXPECT_TRUE(std::ranges::all_of(message, [&](long cell) { return cell == round; }));
      }
    }
    world.barrier();
  }
  world.free(flag);
  world.free(message);
}

// Store buffering: two ranks write, complete, then read the other's cell. At least one sees it.
RANK_TEST(two_quiet_writers_do_not_both_miss_each_other, ranks(2)) {
  const auto cell = world.allocate<long>();
  const auto seen = world.allocate<long>();
  for (long round = 1; round <= 5 * rounds; ++round) {
    if (world.me() < 2) {
      p(world.as("p"), cell.data(), round, 1 - world.me());
      quiet(world.as("quiet"));
      seen[0] = g(world.as("g"), cell.data(), world.me());
    }
    world.barrier();
    if (world.me() == 0) {
      const long other = g(world.as("g"), seen.data(), 1);
      EXPECT_TRUE(seen[0] == round || other == round) << "round " << round;
    }
    world.barrier();
  }
  world.free(seen);
  world.free(cell);
}

RANK_TEST(local_stores_before_a_barrier_are_seen_by_gets_after_it, ranks(2)) {
  const auto message = world.allocate<long>(payload);
  for (long round = 1; round <= rounds; ++round) {
    std::ranges::fill(message, round * 100 + world.me());
    world.barrier();
    std::vector<long> seen(payload);
    get<8>(world.as("get"), seen.data(), message.data(), payload, world.right());
    EXPECT_EQ(seen, filled(round * 100 + world.right()));
    world.barrier();
  }
  world.free(message);
}

// A value arrives whole: a polling rank sees only values that were written.
RANK_TEST(a_polled_value_is_never_torn, ranks(2)) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  const auto cell = world.allocate<std::uint64_t>();
  const auto done = world.allocate<int>();
  if (world.me() == 0) {
    for (long i = 0; i < 50 * rounds; ++i)
      p(world.as("p"), cell.data(), i % 2 == 0 ? ones : std::uint64_t{0}, 1);
    quiet(world.as("quiet"));
    p(world.as("p"), done.data(), 1, 1);
  }
  if (world.me() == 1) {
    long torn = 0;
    while (shmem::test(world.as("test"), done.data(), SHMEM_CMP_EQ, 0) != 0) {
      const std::uint64_t value = Cells(world.as("look"), cell.data()).load();
      torn += value != 0 && value != ones ? 1 : 0;
    }
    EXPECT_EQ(torn, 0);
  }
  world.barrier();
  world.free(done);
  world.free(cell);
}

RANK_TEST(a_value_fetched_without_blocking_is_there_after_quiet, ranks(1)) {
  const auto counter = world.allocate<long>();
  long total = 0;
  for (long i = 0; i < rounds; ++i) {
    long fetched = -1;
    atomic_nbi<AtomicOp::add>(world.as("add"), &fetched, counter.data(), 1L, 0);
    quiet(world.as("quiet"));
    EXPECT_GE(fetched, i);
    ++total;
  }
  world.barrier();
  EXPECT_EQ(g(world.as("g"), counter.data(), 0), total * world.size());
  world.barrier();
  world.free(counter);
}

RANK_TEST(a_message_got_without_blocking_is_there_after_quiet, ranks(2)) {
  const auto message = world.allocate<long>(payload);
  for (long round = 1; round <= rounds; ++round) {
    std::ranges::fill(message, round);
    world.barrier();
    std::vector<long> seen(payload);
    get_nbi<8>(world.as("get_nbi"), seen.data(), message.data(), payload, world.right());
    quiet(world.as("quiet"));
    EXPECT_EQ(seen, filled(round));
    world.barrier();
  }
  world.free(message);
}

}  // namespace
}  // namespace gondwana::test
