// RANK_TEST(name_as_a_sentence, ranks(2)) { ... }: a test that every rank of a job runs.
//
// The same body runs with ranks as threads of one process (over common memory, the loopback wire or
// a faulty wire) and with ranks as processes under `gondwana run`; see rank_main.cpp.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <span>

#include "engine/engine.hpp"
#include "front/shmem/atomics.hpp"
#include "front/shmem/collectives.hpp"
#include "front/shmem/context.hpp"
#include "front/shmem/lock.hpp"
#include "front/shmem/memory.hpp"
#include "front/shmem/rma.hpp"
#include "front/shmem/signal.hpp"
#include "front/shmem/sync.hpp"
#include "front/shmem/team.hpp"
#include "front/shmem/waiting.hpp"

namespace gondwana::test {

// Whether a test needs checked calls, as with SHMEM_DEBUG, or unchecked ones: because only the
// checks refuse its calls, or because they print another error message.
enum class Checks : std::uint8_t { any, on, off };

// The minimum number of ranks of a test, whether each must allow many threads, and the checks it
// needs. The test is skipped where that does not hold.
struct Needs {
  std::uint32_t ranks;
  Threads threads = Threads::one_at_a_time;
  Checks checks = Checks::any;

  constexpr Needs with_threads() const { return {ranks, Threads::many, checks}; }
  constexpr Needs with_checks() const { return {ranks, threads, Checks::on}; }
  constexpr Needs without_checks() const { return {ranks, threads, Checks::off}; }
};
constexpr Needs ranks(std::uint32_t count) {
  return {count};
}

// The job as one rank of a test sees it.
class World {
 public:
  World(Engine& engine, std::uint64_t seed)
      : engine_(engine),
        door_(engine, *shortcuts_),
        seed_(seed),
        random_(seed + index(engine.rank())) {}

  Engine& engine() { return engine_; }
  Lane& lane() { return engine_.default_lane(); }
  int me() const { return static_cast<int>(index(engine_.rank())); }
  int size() const { return static_cast<int>(engine_.ranks()); }
  int right() const { return (me() + 1) % size(); }
  int left() const { return (me() + size() - 1) % size(); }
  shmem::Caller as(CallName name) { return {door_, name}; }
  // A call through a context.
  shmem::Caller in(shmem_ctx_t context, CallName name) {
    return {door_, *door_.contexts().find(context), name};
  }
  std::mt19937_64& random() { return random_; }

  // The seed of the job, the same on every rank.
  std::uint64_t seed() const { return seed_; }

  void barrier() { shmem::barrier_all(as("barrier")); }

  // Collective: zeroed symmetric memory. The collective free() releases it.
  template <typename T>
  std::span<T> allocate(std::size_t count = 1) {
    const std::size_t words = (count * sizeof(T) + word - 1) / word;
    return {static_cast<T*>(shmem::heap_calloc(as("calloc"), words, word)), count};
  }
  template <typename T>
  void free(std::span<T> memory) {
    shmem::heap_free(as("free"), memory.data());
  }

 private:
  // Bytes. Ranks of other nodes store a shorter value by exchanging the word that it lies in, and
  // ranks that are threads share the shadow memory of AddressSanitizer.
  static constexpr std::size_t word = 4;

  Engine& engine_;
  std::unique_ptr<shmem::ShortcutTable> shortcuts_ = std::make_unique<shmem::ShortcutTable>();
  shmem::Door door_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
};

using RankBody = void (*)(World&);

void run_rank_test(Needs needs, RankBody body);

// The error message that a door would have printed before it ended the job.
struct GaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gondwana::test

#define RANK_TEST(name, needs)                    \
  static void name(gondwana::test::World& world); \
  TEST(Ranks, name) {                             \
    gondwana::test::run_rank_test(needs, name);   \
  }                                               \
  static void name([[maybe_unused]] gondwana::test::World& world)
