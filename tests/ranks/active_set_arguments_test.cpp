// What routines on active sets do with wrong arguments, and in PEs outside of the set.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "front/shmem/active_set.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const GaveUp& gave_up) {
    return gave_up.what();
  }
  return "nothing was refused";
}

RANK_TEST(sets_that_cannot_be_are_refused_in_words, ranks(1)) {
  const auto sync = world.allocate<long>(SHMEM_SYNC_SIZE);
  const int ranks = world.size();
  const auto refused = [&](int start, int log_stride, int size) {
    return refusal([&] { sync_set(world.as("shmem_sync"), start, log_stride, size, sync.data()); });
  };
  EXPECT_EQ(refused(0, 0, ranks + 1),
            fmt::format("shmem_sync: active set of PE_start 0, logPE_stride 0, PE_size {}: it "
                        "has PEs 0 to {}, but this job has PEs 0 to {}",
                        ranks + 1, ranks, ranks - 1));
  EXPECT_EQ(refused(-1, 0, 1),
            fmt::format("shmem_sync: active set of PE_start -1, logPE_stride 0, PE_size 1: it "
                        "has PEs -1 to -1, but this job has PEs 0 to {}",
                        ranks - 1));
  EXPECT_EQ(refused(0, -1, 1),
            "shmem_sync: active set of PE_start 0, logPE_stride -1, PE_size 1: expected a "
            "logPE_stride from 0 to 30");
  EXPECT_EQ(
      refused(0, 0, 0),
      "shmem_sync: active set of PE_start 0, logPE_stride 0, PE_size 0: expected a PE_size of "
      "at least 1");
  EXPECT_NE(refused(0, 30, 3).find("has PEs 0 to 2147483648"), std::string::npos);
  world.barrier();
  world.free(sync);
}

// Every collective of a set of one PE. All PEs make all calls, also those outside of the set.
std::vector<std::function<void()>> calls_in_set(World& world, int start, std::span<long> dest,
                                                std::span<const long> source, long* sync) {
  long* const to = dest.data();
  const long* const from = source.data();
  return {
      [=, &world] { barrier_set(world.as("shmem_barrier"), start, 0, 1, sync); },
      [=, &world] { sync_set(world.as("shmem_sync"), start, 0, 1, sync); },
      [=, &world] {
        broadcast_set<8>(world.as("shmem_broadcast64"), to, from, 2, 0, start, 0, 1, sync);
      },
      [=, &world] { collect_set<8>(world.as("shmem_collect64"), to, from, 2, start, 0, 1, sync); },
      [=, &world] {
        fcollect_set<8>(world.as("shmem_fcollect64"), to, from, 2, start, 0, 1, sync);
      },
      [=, &world] {
        alltoall_set<8>(world.as("shmem_alltoall64"), to, from, 2, start, 0, 1, sync);
      },
      [=, &world] {
        alltoalls_set<8>(world.as("shmem_alltoalls64"), to, from, 1, 1, 2, start, 0, 1, sync);
      },
      [=, &world] {
        reduce_set<CombineOp::sum, long>(world.as("shmem_long_sum_to_all"), to, from, 2, start, 0,
                                         1, to + 2, sync);
      },
  };
}

RANK_TEST(a_pe_outside_of_the_set_returns_and_does_nothing, ranks(2).without_checks()) {
  const auto sync = world.allocate<long>(SHMEM_SYNC_SIZE);
  const auto source = world.allocate<long>(2);
  const auto dest = world.allocate<long>(4);
  for (int start = 0; start < world.size(); ++start) {
    std::ranges::fill(source, world.me() + 1);
    std::ranges::fill(dest, -1);
    for (const auto& call : calls_in_set(world, start, dest, source, sync.data())) call();
    EXPECT_EQ(dest[0], start == world.me() ? world.me() + 1 : -1);
    EXPECT_TRUE(std::ranges::all_of(sync, [](long x) { return x == SHMEM_SYNC_VALUE; }));
    world.barrier();
  }
  world.free(sync);
  world.free(source);
  world.free(dest);
}

RANK_TEST(a_pe_outside_of_the_set_is_told_so_where_arguments_are_checked, ranks(2).with_checks()) {
  const auto sync = world.allocate<long>(SHMEM_SYNC_SIZE);
  const auto source = world.allocate<long>(2);
  const auto dest = world.allocate<long>(4);
  const int other = world.right();
  for (const auto& call : calls_in_set(world, other, dest, source, sync.data()))
    EXPECT_NE(refusal(call).find(fmt::format(": active set of PE_start {}, logPE_stride 0, PE_size "
                                             "1: the calling PE {} is not in it",
                                             other, world.me())),
              std::string::npos)
        << refusal(call);
  world.barrier();
  world.free(sync);
  world.free(source);
  world.free(dest);
}

RANK_TEST(work_arrays_that_are_not_symmetric_are_refused_in_words, ranks(1)) {
  const auto sync = world.allocate<long>(SHMEM_SYNC_SIZE);
  std::vector<long> own(SHMEM_SYNC_SIZE);
  const auto refused = [&](long* array) {
    return refusal([&] { sync_set(world.as("shmem_sync"), 0, 0, world.size(), array); });
  };
  EXPECT_TRUE(refused(own.data())
                  .starts_with(fmt::format(
                      "shmem_sync: pSync at {}: its 64 longs are not all in symmetric memory; the "
                      "symmetric heap is ",
                      fmt::ptr(own.data()))));
  auto* crooked = reinterpret_cast<long*>(reinterpret_cast<std::byte*>(sync.data()) + 4);
  EXPECT_EQ(refused(crooked),
            fmt::format("shmem_sync: pSync at {}: expected the address of a long, a multiple of 8",
                        fmt::ptr(crooked)));
  world.barrier();
  world.free(sync);
}

RANK_TEST(wrong_arguments_of_collectives_in_a_set_are_refused_in_words, ranks(1)) {
  const auto sync = world.allocate<long>(SHMEM_SYNC_SIZE);
  const auto data = world.allocate<long>(10);
  const int ranks = world.size();
  EXPECT_EQ(refusal([&] {
              broadcast_set<8>(world.as("shmem_broadcast64"), data.data(), data.data(), 1, ranks, 0,
                               0, ranks, sync.data());
            }),
            fmt::format("shmem_broadcast64: PE_root {}: the active set has {} members, 0 to {}",
                        ranks, ranks, ranks - 1));
  EXPECT_EQ(refusal([&] {
              reduce_set<CombineOp::sum, long>(world.as("shmem_long_sum_to_all"), data.data(),
                                               data.data(), -1, 0, 0, ranks, nullptr, sync.data());
            }),
            "shmem_long_sum_to_all: nreduce -1: expected 0 or more elements");
  EXPECT_EQ(refusal([&] {
              alltoalls_set<8>(world.as("shmem_alltoalls64"), data.data(), data.data(), 1, 0, 1, 0,
                               0, ranks, sync.data());
            }),
            "shmem_alltoalls64: strides dst 1 and sst 0: expected at least 1");
  long own = 0;
  EXPECT_NE(refusal([&] {
              fcollect_set<8>(world.as("shmem_fcollect64"), data.data(), &own, 1, 0, 0, ranks,
                              sync.data());
            }).find("not symmetric memory"),
            std::string::npos);
  world.barrier();
  world.free(sync);
  world.free(data);
}

}  // namespace
}  // namespace gondwana::test
