// Device memory as the target and as the source of every operation. The processor faults if it
// touches this memory, so no copy bypasses the device. The devices are the first two of the
// process, of whatever kind: GONDWANA_EMULATED_DEVICES=2.
#include <algorithm>
#include <array>

#include "front/shmem/devices.hpp"
#include "front/shmem/setup.hpp"
#include "ranks/device_memory.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Around the size that is copied at once (4 KiB), the eager limit, the longest message, and the
// chunks that pass through the host.
constexpr std::array<std::size_t, 11> sizes{1,    2,      511,    512,    513,    8191,
                                            8193, 32'767, 32'768, 32'769, 300'000};

RANK_TEST(puts_and_gets_reach_memory_of_a_device, ranks(1)) {
  NEEDS_DEVICES(world);
  constexpr std::size_t count = 400'000;
  const OnDevice target(world, count);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  std::vector<long> host(count);
  for (const std::size_t size : sizes) {
    std::iota(host.begin(), host.end(), world.me() * 1000L);
    put<8>(world.as("putmem"), target.at(7), host.data(), size, world.right());
    world.barrier();
    EXPECT_EQ(target[7], world.left() * 1000L);
    EXPECT_EQ(target[7 + size - 1], world.left() * 1000L + static_cast<long>(size) - 1);
    std::ranges::fill(host, -1);
    get<8>(world.as("getmem"), host.data(), target.at(7), size, world.right());
    EXPECT_EQ(host[0], world.me() * 1000L) << size;
    EXPECT_EQ(host[size - 1], world.me() * 1000L + static_cast<long>(size) - 1) << size;
    world.barrier();
  }
  p(world.as("p"), target.at(3), 5L + world.me(), world.right());
  world.barrier();
  EXPECT_EQ(target[3], 5 + world.left());
  EXPECT_EQ(g(world.as("g"), target.at(3), world.right()), 5 + world.me());
  EXPECT_EQ(take_back(world, target.data()), 0);
}

// From and to a device of this rank: the peer's side is a device, or its heap.
RANK_TEST(memory_of_a_device_is_a_source_and_a_target_here, ranks(1)) {
  NEEDS_DEVICES(world);
  constexpr std::size_t count = 400'000;
  const auto heap = world.allocate<long>(count);
  const OnDevice target(world, count);
  const OnDevice source(world, count, 1);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  for (const std::size_t size : sizes) {
    const long first = 100L * world.me() + static_cast<long>(size);
    source.fill(first);
    put<8>(world.as("putmem"), &heap[1], source.at(0), size, world.right());
    put<8>(world.as("putmem"), target.at(1), source.at(0), size, world.right());
    world.barrier();
    const long theirs = 100L * world.left() + static_cast<long>(size);
    EXPECT_EQ(heap[size], theirs + static_cast<long>(size) - 1);
    EXPECT_EQ(target[size], theirs + static_cast<long>(size) - 1);
    source.fill(0);
    get<8>(world.as("getmem"), source.at(2), &heap[1], size, world.right());
    EXPECT_EQ(source[2 + size - 1], first + static_cast<long>(size) - 1) << size;
    source.fill(0);
    get<8>(world.as("getmem"), source.at(2), target.at(1), size, world.right());
    EXPECT_EQ(source[2 + size - 1], first + static_cast<long>(size) - 1) << size;
    world.barrier();
  }
  EXPECT_EQ(take_back(world, target.data()), 0);
  world.free(heap);
}

// Pieces that no chunk contains completely, from and to unaligned addresses.
RANK_TEST(odd_bytes_reach_memory_of_a_device, ranks(1)) {
  NEEDS_DEVICES(world);
  constexpr std::size_t most = 1'050'000;
  const OnDevice target(world, most / sizeof(long) + 8);
  const OnDevice source(world, most / sizeof(long) + 8, 1);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  auto* there = reinterpret_cast<char*>(target.data());
  auto* here = reinterpret_cast<char*>(source.data());
  std::vector<char> host(most + 8);
  for (const std::size_t size : {65'535UL, 65'537UL, 262'143UL, 262'145UL, 1'048'577UL}) {
    const auto value = [&](int rank, std::size_t i) {
      return static_cast<char>(i * 7 + size + static_cast<std::size_t>(rank));
    };
    for (std::size_t i = 0; i < size; ++i) host[i + 1] = value(world.me(), i);
    put<1>(world.as("putmem"), there + 3, host.data() + 1, size, world.right());
    world.barrier();
    get<1>(world.as("getmem"), here + 5, there + 3, size, world.right());
    put<1>(world.as("putmem"), there + 3, here + 5, size, world.right());
    world.barrier();
    std::ranges::fill(host, 0);
    get<1>(world.as("getmem"), host.data() + 1, there + 3, size, world.me());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) wrong += host[i + 1] != value(world.left(), i) ? 1U : 0U;
    EXPECT_EQ(wrong, 0U) << size;
    EXPECT_EQ(host[0] | host[size + 1], 0) << size;
    world.barrier();
  }
  EXPECT_EQ(take_back(world, target.data()), 0);
}

// More than the windows hold, while other transfers continue.
RANK_TEST(many_large_transfers_of_a_device_go_on_together, ranks(1)) {
  NEEDS_DEVICES(world);
  constexpr std::size_t part = 100'000;
  constexpr int parts = 4;
  const OnDevice target(world, parts * part);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  const std::vector<long> host = terms(world.me(), parts * part);
  std::vector<long> back(parts * part);
  for (std::size_t i = 0; i < parts; ++i)
    put_nbi<8>(world.as("put_nbi"), target.at(i * part), host.data() + i * part, part,
               world.right());
  put<8>(world.as("put"), target.at(0), host.data(), part, world.right());
  quiet(world.as("quiet"));
  for (std::size_t i = 0; i < parts; ++i)
    get_nbi<8>(world.as("get_nbi"), back.data() + i * part, target.at(i * part), part,
               world.right());
  quiet(world.as("quiet"));
  EXPECT_EQ(back, host);
  world.barrier();
  EXPECT_EQ(target[parts * part - 1], term(world.left(), parts * part - 1));
  EXPECT_EQ(take_back(world, target.data()), 0);
}

RANK_TEST(strides_reach_memory_of_a_device, ranks(1)) {
  NEEDS_DEVICES(world);
  const OnDevice target(world, 4000);
  const OnDevice source(world, 4000, 1);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  std::vector<long> host(4000);
  std::iota(host.begin(), host.end(), 10'000L * world.me());
  source.fill(10'000L * world.me());
  iput<8>(world.as("iput"), target.at(10), host.data(), 7, 2, 300, world.right());
  iput<8>(world.as("iput"), target.at(11), source.data(), 7, 3, 300, world.right());
  world.barrier();
  EXPECT_EQ(target[10 + 7 * 299], 10'000L * world.left() + 2 * 299);
  EXPECT_EQ(target[11 + 7 * 299], 10'000L * world.left() + 3 * 299);
  std::ranges::fill(host, 0);
  iget<8>(world.as("iget"), host.data(), target.at(11), 2, 7, 300, world.right());
  iget<8>(world.as("iget"), source.data(), target.at(11), 2, 7, 300, world.right());
  EXPECT_EQ(host[2 * 299], 10'000L * world.me() + 3 * 299);
  EXPECT_EQ(source[2 * 299], 10'000L * world.me() + 3 * 299);
  world.barrier();
  EXPECT_EQ(take_back(world, target.data()), 0);
}

RANK_TEST(atomics_and_signals_reach_memory_of_a_device, ranks(1)) {
  NEEDS_DEVICES(world);
  const OnDevice target(world, 100);
  const auto heap = world.allocate<long>(8);
  const auto signal = world.allocate<std::uint64_t>();
  target.fill(0);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i)
    atomic<AtomicOp::add>(world.as("atomic_fetch_add"), target.at(0), 1L, 0);
  for (int i = 0; i < rounds; ++i)
    update<AtomicOp::add>(world.as("atomic_add"), target.at(1), 2L, 0);
  EXPECT_EQ(atomic_compare_swap(world.as("cswap"), target.at(2 + world.me()), 2L + world.me(), 77L,
                                world.right()),
            2L + world.me());
  world.barrier();
  if (world.me() == 0) {
    EXPECT_EQ(target[0], long{rounds} * world.size());
    EXPECT_EQ(target[1], 1 + 2 * long{rounds} * world.size());
  }
  EXPECT_EQ(target[2 + world.left()], 77);
  const std::array<long, 3> data{world.me() + 1L, 2, 3};
  put_signal<8>(world.as("put_signal"), target.at(50), data.data(), 3, signal.data(), 1,
                SHMEM_SIGNAL_SET, world.right());
  signal_wait_until(world.as("wait"), signal.data(), SHMEM_CMP_EQ, 1);
  EXPECT_EQ(target[50], world.left() + 1);
  EXPECT_EQ(target[52], 3);
  auto* word = reinterpret_cast<std::uint64_t*>(target.at(60));
  put_signal<8>(world.as("put_signal"), heap.data(), target.at(50), 3, word, 5, SHMEM_SIGNAL_ADD,
                world.right());
  world.barrier();
  EXPECT_EQ(target[60], 65);
  EXPECT_EQ(heap[1], 2);
  world.barrier();
  put_signal<8>(world.as("put_signal"), heap.data(), target.at(50), 3, word, 9, SHMEM_SIGNAL_SET,
                world.right());
  world.barrier();
  EXPECT_EQ(target[60], 9);
  EXPECT_EQ(take_back(world, target.data()), 0);
  world.free(signal);
  world.free(heap);
}

// Copies of two devices, from and to this rank, that continue while others begin.
RANK_TEST(copies_of_a_device_that_go_on_are_complete_after_quiet, ranks(1)) {
  NEEDS_DEVICES(world);
  constexpr std::size_t count = 20'000;
  const auto flag = world.allocate<long>();
  const auto heap = world.allocate<long>(count);
  const OnDevice target(world, count);
  const OnDevice source(world, count, 1);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  in_every_way(world, [&](const Way& way) {
    for (long round = 1; round <= 5; ++round) {
      source.fill(1000 * round + world.me());
      std::vector<long> host = terms(world.me(), count);
      world.barrier();
      put_nbi<8>(way.as("put_nbi"), heap.data(), source.at(0), count, way.right());
      put_nbi<8>(way.as("put_nbi"), target.at(0), host.data(), count, way.right());
      fence(way.as("fence"));
      p(way.as("p"), flag.data(), round, way.right());
      wait_until(world.as("wait_until"), flag.data(), SHMEM_CMP_EQ, round);
      EXPECT_EQ(heap[count - 1], 1000 * round + world.left() + static_cast<long>(count) - 1);
      EXPECT_EQ(target[count - 1], term(world.left(), count - 1));
      get_nbi<8>(way.as("get_nbi"), source.at(0), target.at(0), count, way.right());
      quiet(way.as("quiet"));
      EXPECT_EQ(source[count - 1], term(world.me(), count - 1));
      *flag.data() = 0;
      world.barrier();
      put_nbi<8>(way.as("put_nbi"), target.at(1), host.data(), count - 1, way.right());
      quiet(way.as("quiet"));
      world.barrier();
      EXPECT_EQ(target[count - 1], term(world.left(), count - 2));
    }
  });
  EXPECT_EQ(take_back(world, target.data()), 0);
  world.free(heap);
  world.free(flag);
}

// The word is of the heap, or of a device.
RANK_TEST(fetched_values_go_to_memory_of_a_device, ranks(1)) {
  NEEDS_DEVICES(world);
  const auto counter = world.allocate<long>();
  const OnDevice target(world, 4);
  const OnDevice fetched(world, 4, 1);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  in_every_way(world, [&](const Way& way) {
    *counter.data() = 10 + world.me();
    target.fill(100L * world.me());
    fetched.fill(0);
    world.barrier();
    const auto call = way.as("atomic_nbi");
    atomic_nbi<AtomicOp::add>(call, fetched.at(0), counter.data(), 5L, way.right());
    atomic_fetch_nbi(call, fetched.at(1), target.at(3), way.right());
    atomic_compare_swap_nbi(call, fetched.at(2), target.at(1), 100L * world.right() + 1, 7L,
                            way.right());
    atomic_nbi<AtomicOp::swap>(call, fetched.at(3), target.at(1), 8L, way.right());
    quiet(way.as("quiet"));
    EXPECT_EQ(fetched[0], 10 + world.right());
    EXPECT_EQ(fetched[1], 100 * world.right() + 3);
    EXPECT_EQ(fetched[2], 100 * world.right() + 1);
    EXPECT_EQ(fetched[3], 7);
    world.barrier();
    EXPECT_EQ(*counter.data(), 15 + world.me());
    EXPECT_EQ(target[1], 8);
    world.barrier();
  });
  EXPECT_EQ(take_back(world, target.data()), 0);
  world.free(counter);
}

RANK_TEST(waits_see_words_of_a_device, ranks(1)) {
  NEEDS_DEVICES(world);
  const OnDevice target(world, 100);
  target.fill(0);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  p(world.as("p"), target.at(3), 7L, world.right());
  wait_until(world.as("wait_until"), target.at(3), SHMEM_CMP_EQ, 7L);
  EXPECT_EQ(shmem::test(world.as("test"), target.at(3), SHMEM_CMP_NE, 7L), 0);
  auto* word = reinterpret_cast<std::uint64_t*>(target.at(50));
  const long data = 11;
  put_signal<8>(world.as("put_signal"), target.at(8), &data, 1, word, 5, SHMEM_SIGNAL_ADD,
                world.right());
  EXPECT_EQ(signal_wait_until(world.as("signal_wait_until"), word, SHMEM_CMP_GT, 50), 55U);
  EXPECT_EQ(signal_fetch(world.as("signal_fetch"), word), 55U);
  EXPECT_EQ(wait_until_any(world.as("wait_until_any"), target.at(8), 3, nullptr, SHMEM_CMP_EQ, 11L),
            0U);
  update<AtomicOp::add>(world.as("atomic_add"), target.at(9), 100L, world.right());
  wait_until_all(world.as("wait_until_all"), target.at(8), 2, nullptr, SHMEM_CMP_GE, 11L);
  world.barrier();
  EXPECT_EQ(take_back(world, target.data()), 0);
}

RANK_TEST(words_of_a_device_are_as_aligned_as_in_the_program, ranks(1)) {
  NEEDS_DEVICES(world);
  const OnDevice target(world, 100);
  target.fill(0);
  auto* begin = reinterpret_cast<std::byte*>(target.data()) + 4;
  ASSERT_EQ(give(world, begin, target.bytes() - 4), 0);
  EXPECT_EQ(atomic<AtomicOp::add>(world.as("atomic_fetch_add"), target.at(9), 5L, world.right()),
            9);
  world.barrier();
  EXPECT_EQ(target[9], 14);
  EXPECT_EQ(take_back(world, begin), 0);
}

RANK_TEST(spaces_of_devices_come_and_go, ranks(1)) {
  NEEDS_DEVICES(world);
  for (int round = 0; round < 20; ++round) {
    const OnDevice target(world, 1000 + static_cast<std::size_t>(round) * 100);
    ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
    p(world.as("p"), target.at(999), 1L + round, world.right());
    world.barrier();
    EXPECT_EQ(target[999], 1 + round);
    EXPECT_EQ(take_back(world, target.data()), 0);
  }
}

RANK_TEST(arrays_of_a_wait_that_lie_on_a_device_are_told, ranks(1).with_checks()) {
  NEEDS_DEVICES(world);
  const OnDevice array(world, 2);
  const auto cells = world.allocate<long>(2);
  std::array<std::size_t, 2> indices{};
  const auto* status = reinterpret_cast<const int*>(array.data());
  const Caller caller = world.as("shmem_long_test_some");
  const std::string told = fmt::format(": memory of {}: expected memory of the host",
                                       world.engine().kind_access()->device_at(array.data()));
  const auto test = [&](std::size_t* found, const int* skipped) {
    return [&, found, skipped] {
      test_some(caller, cells.data(), 2, found, skipped, SHMEM_CMP_EQ, 0L);
    };
  };
  EXPECT_TRUE(says("argument status is 0x", test(indices.data(), status)));
  EXPECT_TRUE(says(told, test(indices.data(), status)));
  EXPECT_TRUE(
      says("argument indices is 0x", test(reinterpret_cast<std::size_t*>(array.data()), nullptr)));
  EXPECT_TRUE(says("argument cmp_values is 0x", [&] {
    test_all_vector(caller, cells.data(), 2, nullptr, SHMEM_CMP_EQ, array.data());
  }));
  world.free(cells);
}

RANK_TEST(a_device_says_what_it_cannot_do, ranks(1)) {
  NEEDS_DEVICES(world);
  Kinds& kinds = world.engine().kinds();
  EXPECT_EQ(kinds.device(-1).error().text, "device -1: expected 0 or more");
  const auto absent = kinds.device(63);
  ASSERT_FALSE(absent);
  EXPECT_TRUE(absent.error().text.starts_with("device 63: this process has "));
  EXPECT_FALSE(kinds.find({KindId::host, 0}));
  Kind& kind = **kinds.device(0);
  EXPECT_FALSE(kinds.find({kind.device().kind, 63}));
  const Result<MutableBytes> too_much = kind.allocate(std::size_t{1} << 40);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, Errc::out_of_memory) << too_much.error().text;
  EXPECT_NE(too_much.error().text.find(name_of(kind.device())), std::string::npos);
  const OnDevice target(world, 100);
  ASSERT_EQ(give(world, target.data(), target.bytes()), 0);
  EXPECT_EQ(ptr(world.as("ptr"), target.data(), world.right()), nullptr);
  long value = 0;
  EXPECT_TRUE(says("that rank has registered no buffer of this length",
                   [&] { put<8>(world.as("putmem"), target.at(99), &value, 2, world.right()); }));
  const auto heap = world.allocate<long>(1024);
  EXPECT_TRUE(says("begin on a device, but are not in one of its allocations", [&] {
    put<8>(world.as("putmem"), heap.data(), target.at(0), 2 * page_size() / 8, world.right());
  }));
  world.barrier();
  EXPECT_EQ(take_back(world, target.data()), 0);
  world.free(heap);
}

}  // namespace
}  // namespace gondwana::test
