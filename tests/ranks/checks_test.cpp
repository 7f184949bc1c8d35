// The error messages for programs with SHMEM_DEBUG. Every test ends with all ranks in the state
// that they would have without the refused call.
#include "front/shmem/checks.hpp"

#include <array>
#include <thread>

#include "front/shmem/active_set.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// One byte after the start.
template <typename T>
T* misaligned(std::span<T> memory) {
  return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(memory.data()) + 1);
}

RANK_TEST(a_put_is_told_which_of_its_arguments_is_wrong, ranks(2).with_checks()) {
  const auto cells = world.allocate<long>(4);
  std::array<long, 4> own{};
  const auto does = [&](void* dest, const void* source, std::size_t count, int pe) {
    return [&world, dest, source, count, pe] {
      put<8>(world.as("shmem_long_put"), dest, source, count, pe);
    };
  };
  const int right = world.right();
  EXPECT_TRUE(says(": not aligned to 8 bytes", does(misaligned(cells), own.data(), 2, right)));
  EXPECT_TRUE(says("shmem_long_put: argument dest is 0x", does(misaligned(cells), &own, 1, right)));
  EXPECT_TRUE(says("argument source is null: expected the address of 3 elements of 8 B",
                   does(cells.data(), nullptr, 3, right)));
  EXPECT_TRUE(says("argument source is null: expected the address of 1 element of 8 B",
                   does(cells.data(), nullptr, 1, right)));
  EXPECT_TRUE(says("argument dest is null: expected the address", does(nullptr, &own, 1, right)));
  EXPECT_TRUE(says("not symmetric memory for 32 B", does(own.data(), cells.data(), 4, right)));
  EXPECT_TRUE(says("elements of 8 B is more than a process can address",
                   does(cells.data(), own.data(), ~std::size_t{0} / 4, right)));
  EXPECT_TRUE(says("-1 elements of 8 B: a negative number",
                   does(cells.data(), own.data(), ~std::size_t{0}, right)));
  EXPECT_TRUE(says(fmt::format("argument pe is {}: this job has {} PE", world.size(), world.size()),
                   does(cells.data(), own.data(), 2, world.size())));
  EXPECT_TRUE(says("argument pe is -1: ", does(cells.data(), own.data(), 1, -1)));
  EXPECT_TRUE(says("no complaint", does(nullptr, nullptr, 0, right)));
  world.barrier();
  EXPECT_EQ(cells[0], 0);
  world.free(cells);
}

RANK_TEST(a_get_is_told_which_of_its_arguments_is_wrong, ranks(2).with_checks()) {
  const auto cells = world.allocate<int>(4);
  std::array<int, 4> own{};
  const auto does = [&](void* dest, const void* source, std::size_t count) {
    return [&world, dest, source, count] {
      get<4>(world.as("shmem_int_get"), dest, source, count, world.right());
    };
  };
  EXPECT_TRUE(says("argument source is 0x", does(own.data(), own.data(), 2)));
  EXPECT_TRUE(says("argument dest is null", does(nullptr, cells.data(), 1)));
  EXPECT_TRUE(
      says(": not aligned to 4 bytes", does(misaligned(std::span<int>(own)), cells.data(), 2)));
  EXPECT_TRUE(says("no complaint", does(own.data(), cells.data(), 4)));
  EXPECT_TRUE(says("argument source is 0x", [&] { g(world.as("shmem_int_g"), own.data(), 0); }));
  EXPECT_TRUE(says(": not aligned to 4 bytes",
                   [&] { p(world.as("shmem_int_p"), misaligned(cells), 1, 0); }));
  world.free(cells);
}

RANK_TEST(routines_named_by_a_size_serve_types_made_of_two_parts, ranks(1).with_checks()) {
  const auto cells = world.allocate<float>(4);
  const std::array<float, 2> complex{1, 2};
  EXPECT_TRUE(says("no complaint", [&] {
    put<8>(world.as("shmem_put64"), &cells[1], complex.data(), 1, world.me());
  }));
  EXPECT_TRUE(says("not aligned to 8 bytes", [&] {
    put<8>(world.as("shmem_uint64_put"), &cells[1], complex.data(), 1, world.me());
  }));
  quiet(world.as("quiet"));
  EXPECT_EQ(cells[2], 2);
  world.free(cells);
}

RANK_TEST(arguments_that_overlap_are_told, ranks(2).with_checks()) {
  const auto cells = world.allocate<long>(8);
  const auto does = [&](std::size_t from, int pe) {
    return [&world, cells, from, pe] {
      put<8>(world.as("shmem_long_put"), &cells[0], &cells[from], 4, pe);
    };
  };
  EXPECT_TRUE(says("overlap in memory: 32 B and 32 B", does(3, world.me())));
  EXPECT_TRUE(says("arguments dest and source, 0x", does(0, world.me())));
  EXPECT_TRUE(says("no complaint", does(4, world.me())));
  world.barrier();  // the left neighbor writes the same cells
  EXPECT_TRUE(says("no complaint", does(4, world.right())));
  world.barrier();
  // Without direct loads and stores this address does not exist.
  if (const void* theirs = world.engine().rma().pointer_to(
          Rank(static_cast<std::uint32_t>(world.right())), cells.data())) {
    EXPECT_TRUE(says("overlap in memory", [&] {
      put<8>(world.as("shmem_long_put"), cells.data(), theirs, 4, world.right());
    }));
  }
  world.free(cells);
}

RANK_TEST(strides_below_one_or_inside_a_block_are_told, ranks(2).with_checks()) {
  const auto cells = world.allocate<long>(16);
  std::array<long, 16> own{};
  const int right = world.right();
  EXPECT_TRUE(says("shmem_long_iput: argument dst is 0: expected a stride of 1 or more", [&] {
    iput<8>(world.as("shmem_long_iput"), cells.data(), own.data(), 0, 1, 4, right);
  }));
  EXPECT_TRUE(says("argument sst is -2: expected a stride of 1 or more", [&] {
    iget<8>(world.as("shmem_long_iget"), own.data(), cells.data(), 1, -2, 4, right);
  }));
  EXPECT_TRUE(says("overlap; expected 3 or more", [&] {
    ibput<8>(world.as("shmem_long_ibput"), cells.data(), own.data(), 2, 3, 3, 4, right);
  }));
  EXPECT_TRUE(says("not symmetric memory for 248 B", [&] {
    iget<8>(world.as("shmem_long_iget"), own.data(), own.data(), 1, 2, 16, right);
  }));
  world.free(cells);
}

RANK_TEST(atomics_are_told_which_of_their_arguments_is_wrong, ranks(2).with_checks()) {
  const auto cells = world.allocate<long>(2);
  long own = 0;
  EXPECT_TRUE(says("shmem_long_atomic_add: argument dest is 0x",
                   [&] { atomic<AtomicOp::add>(world.as("shmem_long_atomic_add"), &own, 1L, 0); }));
  EXPECT_TRUE(says("not aligned to 8 bytes", [&] {
    atomic_fetch(world.as("shmem_long_atomic_fetch"), misaligned(cells), 0);
  }));
  EXPECT_TRUE(says("argument pe is 99",
                   [&] { atomic_set(world.as("shmem_long_atomic_set"), cells.data(), 1L, 99); }));
  EXPECT_TRUE(says("argument fetch is null: expected the address of 1 element of 8 B", [&] {
    atomic_fetch_nbi(world.as("shmem_long_atomic_fetch_nbi"), static_cast<long*>(nullptr),
                     cells.data(), 0);
  }));
  world.free(cells);
}

RANK_TEST(signals_are_told_which_of_their_arguments_is_wrong, ranks(2).with_checks()) {
  const auto words = world.allocate<std::uint64_t>(4);
  std::array<std::uint64_t, 4> own{};
  const auto does = [&](std::uint64_t* word) {
    return [&world, words, &own, word] {
      put_signal<8>(world.as("shmem_put64_signal"), words.data(), own.data(), 2, word, 1,
                    SHMEM_SIGNAL_SET, world.right());
    };
  };
  EXPECT_TRUE(says("argument sig_addr is 0x", does(own.data())));
  EXPECT_TRUE(says("arguments dest and sig_addr, ", does(&words[1])));
  EXPECT_TRUE(says("no complaint", does(&words[2])));
  EXPECT_TRUE(says("argument sig_addr is 0x", [&] {
    signal_add(world.as("shmem_signal_add"), own.data(), std::uint64_t{1}, world.right());
  }));
  EXPECT_TRUE(says("shmem_signal_wait_until: argument sig_addr is 0x", [&] {
    signal_wait_until(world.as("shmem_signal_wait_until"), own.data(), SHMEM_CMP_EQ, 0);
  }));
  world.barrier();
  world.free(words);
}

RANK_TEST(waits_are_told_which_of_their_arguments_is_wrong, ranks(1).with_checks()) {
  const auto cells = world.allocate<int>(4);
  std::array<int, 4> own{};
  EXPECT_TRUE(says("shmem_int_wait_until: argument ivar is 0x", [&] {
    wait_until(world.as("shmem_int_wait_until"), own.data(), SHMEM_CMP_EQ, 0);
  }));
  EXPECT_TRUE(says("not aligned to 4 bytes", [&] {
    shmem::test(world.as("shmem_int_test"), misaligned(cells), SHMEM_CMP_EQ, 0);
  }));
  EXPECT_TRUE(says("argument ivars is 0x", [&] {
    wait_until_all(world.as("shmem_int_wait_until_all"), own.data(), 4, nullptr, SHMEM_CMP_EQ, 0);
  }));
  EXPECT_TRUE(says("argument cmp_values is null: expected the address of 4 elements", [&] {
    test_all_vector(world.as("shmem_int_test_all_vector"), cells.data(), 4, nullptr, SHMEM_CMP_EQ,
                    static_cast<const int*>(nullptr));
  }));
  EXPECT_TRUE(says("arguments status and ivars", [&] {
    test_any(world.as("shmem_int_test_any"), cells.data(), 4, cells.data(), SHMEM_CMP_EQ, 0);
  }));
  EXPECT_TRUE(says("argument indices is null: expected the address of 4 elements", [&] {
    test_some(world.as("shmem_int_test_some"), cells.data(), 4, nullptr, nullptr, SHMEM_CMP_EQ, 0);
  }));
  world.free(cells);
}

RANK_TEST(locks_that_are_null_or_not_aligned_are_told, ranks(1).with_checks()) {
  const auto locks = world.allocate<long>(2);
  EXPECT_TRUE(says("shmem_set_lock: argument lock is null: expected",
                   [&] { set_lock(world.as("shmem_set_lock"), nullptr); }));
  EXPECT_TRUE(says("not aligned to 8 bytes",
                   [&] { test_lock(world.as("shmem_test_lock"), misaligned(locks)); }));
  world.free(locks);
}

RANK_TEST(masks_and_places_for_handles_are_told, ranks(1).with_checks()) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  EXPECT_TRUE(says("argument options is 0x100: expected 0 or SHMEM_CTX_SERIALIZED",
                   [&] { ctx_create(world.as("shmem_ctx_create"), 256, &context); }));
  EXPECT_TRUE(
      says("argument ctx is null", [&] { ctx_create(world.as("shmem_ctx_create"), 0, nullptr); }));
  EXPECT_TRUE(says("argument config_mask is 0x6: expected 0 or SHMEM_TEAM_NUM_CONTEXTS", [&] {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    team_split_strided(world.as("shmem_team_split_strided"), SHMEM_TEAM_WORLD, 0, 1, 1, nullptr, 6,
                       &team);
  }));
}

RANK_TEST(a_private_context_is_for_the_thread_that_made_it, ranks(1).with_checks()) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(ctx_create(world.as("create"), SHMEM_CTX_PRIVATE, &context), 0);
  std::jthread([&] {
    EXPECT_TRUE(says("argument ctx is a context with SHMEM_CTX_PRIVATE that another thread created",
                     [&] { ctx_destroy(world.as("shmem_ctx_destroy"), context); }));
  }).join();
  ctx_destroy(world.as("destroy"), context);
}

RANK_TEST(ranks_in_different_collectives_are_told_of_both, ranks(2).with_checks()) {
  const auto cells = world.allocate<long>(16);
  const int last = world.size() - 1;
  const auto call = [&] {
    if (world.me() == last)
      reduce<CombineOp::sum>(world.as("shmem_long_sum_reduce"), SHMEM_TEAM_WORLD, &cells[0],
                             &cells[5], 5);
    else
      broadcast<1>(world.as("shmem_broadcastmem"), SHMEM_TEAM_WORLD, &cells[0], &cells[8], 64, 0);
  };
  EXPECT_TRUE(says(
      fmt::format("rank {} is in shmem_long_sum_reduce (team 0, 5 elements of 8 B, dest at", last),
      call));
  EXPECT_TRUE(
      says(" while rank 0 is in shmem_broadcastmem (team 0, 64 bytes, root 0, dest at", call));
  world.free(cells);
}

RANK_TEST(ranks_with_different_arguments_of_a_collective_are_told, ranks(2).with_checks()) {
  const auto cells = world.allocate<long>(16);
  const int me = world.me();
  EXPECT_TRUE(says("root 1, dest at symmetric offset", [&] {
    broadcast<8>(world.as("shmem_long_broadcast"), SHMEM_TEAM_WORLD, &cells[0], &cells[8], 2,
                 me == 1 ? 1 : 0);
  }));
  const auto count = static_cast<std::size_t>(me == 1 ? 2 : 1);
  EXPECT_TRUE(says("rank 1 is in shmem_long_fcollect (team 0, 2 elements of 8 B", [&] {
    fcollect<8>(world.as("shmem_long_fcollect"), SHMEM_TEAM_WORLD, &cells[0], &cells[8], count);
  }));
  EXPECT_TRUE(says("no complaint", [&] {
    collect<8>(world.as("shmem_long_collect"), SHMEM_TEAM_WORLD, &cells[0], &cells[8], count);
  }));
  EXPECT_TRUE(
      says("rank 1 is in shmem_sync_all (team 0) while rank 0 is in shmem_barrier_all", [&] {
        if (me == 1)
          sync_all(world.as("shmem_sync_all"));
        else
          barrier_all(world.as("shmem_barrier_all"));
      }));
  world.free(cells);
}

RANK_TEST(heap_calls_that_differ_are_told, ranks(2).with_checks()) {
  const auto me = static_cast<std::size_t>(world.me());
  EXPECT_TRUE(
      says("rank 1 is in shmem_malloc (team 0, 200 bytes aligned to 64) while rank 0 is in "
           "shmem_malloc (team 0, 100 bytes",
           [&] { heap_malloc(world.as("shmem_malloc"), me == 1 ? 200 : 100); }));
  const auto cells = world.allocate<long>(64);
  EXPECT_TRUE(says("rank 1 is in shmem_free (team 0, block at symmetric offset 0x",
                   [&] { heap_free(world.as("shmem_free"), &cells[me == 1 ? 8 : 0]); }));
  EXPECT_TRUE(says("hints 0x1", [&] {
    heap_malloc_with_hints(world.as("shmem_malloc_with_hints"), 8, me == 1 ? 1 : 2);
  }));
  world.free(cells);
}

RANK_TEST(team_calls_that_differ_are_told, ranks(2).with_checks()) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  const auto split = [&](int start) {
    return team_split_strided(world.as("shmem_team_split_strided"), SHMEM_TEAM_WORLD, start, 1, 1,
                              nullptr, 0, &team);
  };
  EXPECT_TRUE(says("(team 0, start 1, stride 1, size 1) while rank 0 is in",
                   [&] { split(world.me() == 1 ? 1 : 0); }));
  team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, 0, 1, 2, nullptr, 0, &team);
  if (world.me() < 2) {
    EXPECT_TRUE(says("rank 1 is in shmem_team_sync (team", [&] {
      if (world.me() == 1)
        team_sync(world.as("shmem_team_sync"), team);
      else
        team_destroy(world.as("shmem_team_destroy"), team);
    }));
    team_destroy(world.as("destroy"), team);
  }
}

RANK_TEST(arrays_of_collectives_are_checked_on_every_rank, ranks(1).with_checks()) {
  const auto cells = world.allocate<long>(64);
  std::array<long, 8> own{};
  const auto does = [&](long* dest, const long* source) {
    return [&world, dest, source] {
      reduce<CombineOp::max>(world.as("shmem_long_max_reduce"), SHMEM_TEAM_WORLD, dest, source, 4);
    };
  };
  EXPECT_TRUE(says("argument source is 0x", does(&cells[0], own.data())));
  EXPECT_TRUE(says("argument dest is null", does(nullptr, &cells[0])));
  EXPECT_TRUE(says("arguments dest and source", does(&cells[0], &cells[3])));
  EXPECT_TRUE(says("no complaint", does(&cells[0], &cells[0])));
  EXPECT_TRUE(says("no complaint", does(&cells[0], &cells[4])));
  world.free(cells);
}

RANK_TEST(arrays_of_active_sets_are_checked, ranks(1).with_checks()) {
  const auto cells = world.allocate<long>(8);
  const auto sync = world.allocate<long>(SHMEM_REDUCE_SYNC_SIZE);
  const auto does = [&](const long* source, long* work) {
    return [&world, cells, sync, source, work] {
      reduce_set<CombineOp::sum, long>(world.as("shmem_long_sum_to_all"), &cells[0], source, 2, 0,
                                       0, world.size(), work, sync.data());
    };
  };
  const long own = 0;
  EXPECT_TRUE(says("argument pWrk is null", does(&cells[2], nullptr)));
  EXPECT_TRUE(says("argument source is 0x", does(&own, &cells[4])));
  EXPECT_TRUE(says("arguments dest and source", does(&cells[1], &cells[4])));
  EXPECT_TRUE(says("no complaint", does(&cells[2], &cells[4])));
  world.barrier();
  world.free(sync);
  world.free(cells);
}

}  // namespace
}  // namespace gondwana::test
