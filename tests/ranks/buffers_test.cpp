// Memory of the program itself that all ranks have registered: shmemx_buffer_register.
#include "front/shmem/buffers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "core/mapping.hpp"
#include "front/shmem/setup.hpp"
#include "support/rank_test.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Ranks that are threads have one malloc, so each takes pages of its own.
template <typename T>
class OwnPages {
 public:
  explicit OwnPages(std::size_t count, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int file = -1)
      : size_(round_up(count * sizeof(T), page_size())), count_(count) {
    start_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, file, 0);
  }
  OwnPages(const OwnPages&) = delete;
  OwnPages& operator=(const OwnPages&) = delete;
  ~OwnPages() { ::munmap(start_, size_); }

  T* data() const { return static_cast<T*>(start_); }
  std::size_t bytes() const { return count_ * sizeof(T); }
  T& operator[](std::size_t i) const { return data()[i]; }

 private:
  std::size_t size_;
  std::size_t count_;
  void* start_ = nullptr;
};

int register_at(World& world, void* address, std::size_t bytes) {
  return register_buffer(world.as("shmemx_buffer_register"), address, bytes);
}
int unregister_at(World& world, void* address) {
  return unregister_buffer(world.as("shmemx_buffer_unregister"), address);
}

RANK_TEST(puts_and_gets_reach_a_registered_buffer, ranks(1)) {
  constexpr std::size_t count = 30'000;
  const OwnPages<long> buffer(count);
  std::iota(buffer.data(), buffer.data() + count, 1000 * world.me());
  ASSERT_EQ(register_at(world, buffer.data(), buffer.bytes()), 0);
  EXPECT_EQ(buffer[77], 1000 * world.me() + 77) << "contents stay";
  world.barrier();
  std::array<long, 500> read{};
  get<8>(world.as("getmem"), read.data(), &buffer[100], read.size(), world.right());
  EXPECT_EQ(read[499], 1000 * world.right() + 599);
  EXPECT_EQ(g(world.as("g"), &buffer[5], world.right()), 1000 * world.right() + 5);
  world.barrier();
  for (const std::size_t size : {1UL, 7UL, 500UL}) {
    std::ranges::fill(read, static_cast<long>(size) + world.me());
    put<8>(world.as("putmem"), &buffer[20'000], read.data(), size, world.right());
    p(world.as("p"), &buffer[count - 1], static_cast<long>(size), world.right());
    world.barrier();
    EXPECT_EQ(buffer[20'000 + size - 1], static_cast<long>(size) + world.left());
    EXPECT_EQ(buffer[count - 1], static_cast<long>(size));
    world.barrier();
  }
  EXPECT_EQ(unregister_at(world, buffer.data()), 0);
  EXPECT_EQ(buffer[20'000], 500 + world.left()) << "contents stay";
}

// Address space is reserved in pieces of 16 MiB. One buffer of each pair crosses their border: the
// two share no page, or one page, at either end.
RANK_TEST(buffers_that_are_neighbors_may_cross_any_border, ranks(1)) {
  constexpr std::size_t piece = std::size_t{16} << 20;
  const OwnPages<std::byte> memory(8 * piece, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  const auto before = reinterpret_cast<std::uintptr_t>(memory.data()) % piece;
  std::byte* border = memory.data() + (piece - before) + piece;
  struct Pair {
    std::ptrdiff_t first;
    std::ptrdiff_t second;
    std::size_t size;
  };
  for (const auto [first, second, size] :
       {Pair{-1'000'000, -300'000, 400'000}, Pair{-400'400, -200, 400'000},
        Pair{100'200, -300'000, 400'000}, Pair{500'000, -100'000, 400'000}}) {
    for (const std::ptrdiff_t begin : {first, second})
      ASSERT_EQ(register_at(world, border + begin, size), 0) << begin;
    for (const std::ptrdiff_t begin : {first, second}) {
      const long value = begin + world.me();
      put<8>(world.as("putmem"), border + begin + size - 8, &value, 1, world.right());
    }
    world.barrier();
    for (const std::ptrdiff_t begin : {first, second}) {
      long value = 0;
      std::memcpy(&value, border + begin + size - 8, sizeof(value));
      EXPECT_EQ(value, begin + world.left());
    }
    for (const std::ptrdiff_t begin : {second, first})
      EXPECT_EQ(unregister_at(world, border + begin), 0);
    border += piece;
  }
}

RANK_TEST(strides_signals_and_atomics_reach_a_registered_buffer, ranks(1)) {
  const OwnPages<long> buffer(4000);
  ASSERT_EQ(register_at(world, buffer.data(), buffer.bytes()), 0);
  const std::array<long, 6> values{1, 2, 3, 4, 5, 6};
  iput<8>(world.as("iput"), &buffer[10], values.data(), 100, 2, 3, world.right());
  auto* signal = reinterpret_cast<std::uint64_t*>(&buffer[3000]);
  put_signal<8>(world.as("put_signal"), &buffer[1000], values.data(), 6, signal, 9,
                SHMEM_SIGNAL_SET, world.right());
  EXPECT_EQ(signal_wait_until(world.as("wait"), signal, SHMEM_CMP_EQ, 9), 9U);
  EXPECT_EQ(buffer[1005], 6);
  for (int i = 0; i < 50; ++i) update<AtomicOp::add>(world.as("add"), &buffer[1], 2L, 0);
  atomic<AtomicOp::add>(world.as("fetch_add"), &buffer[1], 1L, 0);
  world.barrier();
  EXPECT_EQ(atomic_fetch(world.as("fetch"), &buffer[1], 0), 101 * world.size());
  EXPECT_EQ(buffer[10] + buffer[110] + buffer[210], 1 + 3 + 5);
  std::array<long, 3> back{};
  iget<8>(world.as("iget"), back.data(), &buffer[10], 1, 100, 3, world.right());
  EXPECT_EQ(back[2], 5);
  world.barrier();
  EXPECT_EQ(unregister_at(world, buffer.data()), 0);
}

RANK_TEST(buffers_of_one_page_come_and_go_alone, ranks(1)) {
  const OwnPages<int> page(1000);
  for (int i = 0; i < 1000; ++i) page[static_cast<std::size_t>(i)] = i;
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(register_at(world, &page[10], 40), 0);
    ASSERT_EQ(register_at(world, &page[200], 40), 0);
    EXPECT_EQ(unregister_at(world, &page[10]), 0);
    const int value = 7 + world.me() + round;
    put<4>(world.as("putmem"), &page[201], &value, 1, world.right());
    world.barrier();
    EXPECT_EQ(page[201], 7 + world.left() + round);
    EXPECT_EQ(page[999], 999);
    EXPECT_EQ(unregister_at(world, &page[200]), 0);
  }
}

RANK_TEST(sizes_of_buffers_may_differ_and_end_where_they_end, ranks(2).without_checks()) {
  const OwnPages<long> buffer(100);
  const std::size_t own = world.me() == 0 ? 10 : 100;
  ASSERT_EQ(register_at(world, buffer.data(), own * sizeof(long)), 0);
  const long value = 5;
  if (world.me() == 1) {
    put<8>(world.as("shmem_putmem"), &buffer[9], &value, 1, 0);
    EXPECT_TRUE(says("that rank has registered no buffer of this length",
                     [&] { put<8>(world.as("shmem_putmem"), &buffer[10], &value, 1, 0); }));
  }
  world.barrier();
  EXPECT_EQ(unregister_at(world, buffer.data()), 0);
}

RANK_TEST(a_rank_may_have_no_buffer, ranks(2)) {
  const OwnPages<long> buffer(10);
  void* own = world.me() == 0 ? nullptr : buffer.data();
  ASSERT_EQ(register_at(world, own, 80), 0);
  world.barrier();
  EXPECT_EQ(unregister_at(world, own), 0);
  EXPECT_NE(unregister_at(world, buffer.data() + 1), 0) << "nothing is registered there";
}

RANK_TEST(ranks_without_a_buffer_follow_those_that_name_one, ranks(2)) {
  const OwnPages<long> first(10);
  const OwnPages<long> second(10);
  const bool has = world.me() != 0;
  ASSERT_EQ(register_at(world, has ? first.data() : nullptr, 80), 0);
  ASSERT_EQ(register_at(world, has ? second.data() : nullptr, 80), 0);
  EXPECT_NE(unregister_at(world, has ? second.data() + 1 : nullptr), 0) << "not its beginning";
  EXPECT_EQ(unregister_at(world, has ? second.data() : nullptr), 0);
  const auto block = world.allocate<long>(1);
  p(world.as("p"), block.data(), 40L + world.me(), world.right());
  world.barrier();
  EXPECT_EQ(block[0], 40 + world.left()) << "the heaps of all ranks are alike";
  EXPECT_EQ(unregister_at(world, has ? first.data() : nullptr), 0);
  world.free(block);
}

RANK_TEST(what_one_rank_cannot_share_nobody_registers, ranks(1)) {
  const OwnPages<long> buffer(100);
  std::array<long, 4> on_stack{};
  const auto heap = world.allocate<long>(4);
  EXPECT_NE(register_at(world, world.me() == 0 ? on_stack.data() : buffer.data(), 32), 0);
  EXPECT_NE(register_at(world, world.me() == 0 ? heap.data() : buffer.data(), 32), 0);
  EXPECT_EQ(register_at(world, buffer.data(), 32), 0);
  EXPECT_NE(register_at(world, &buffer[50], world.me() == 0 ? ~std::size_t{0} - 1 : 8), 0);
  EXPECT_NE(register_at(world, world.me() == 0 ? &buffer[2] : &buffer[50], 32), 0)
      << "they overlap";
  EXPECT_EQ(unregister_at(world, buffer.data()), 0);
  world.free(heap);
}

RANK_TEST(a_mapped_file_is_reached_and_stays_a_file, ranks(1)) {
  const int file = ::memfd_create("data", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(file, 8192), 0);
  {
    const OwnPages<long> buffer(1024, MAP_SHARED, file);
    ASSERT_EQ(register_at(world, buffer.data(), buffer.bytes()), 0);
    p(world.as("p"), &buffer[600], 60L + world.me(), world.right());
    world.barrier();
    long written = 0;
    EXPECT_EQ(::pread(file, &written, sizeof(written), 600 * sizeof(long)), 8);
    EXPECT_EQ(written, 60 + world.left());
    EXPECT_EQ(unregister_at(world, buffer.data()), 0);
  }
  ::close(file);
}

}  // namespace
}  // namespace gondwana::test
