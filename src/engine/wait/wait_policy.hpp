// How long a rank polls before it yields, and how long it yields before it sleeps.
//
// Spinning is fastest if every rank has a processor. Yielding is fastest if ranks share processors
// only with each other. It is very slow if another process computes on the processor, because a
// yield then takes a time slice. Sleeping always costs a few microseconds. So a rank spins for a
// bounded time, yields while yields are short, and otherwise sleeps. It retries yields at growing
// intervals while they are slow. If ranks are in different sessions, as under mpiexec.hydra, most
// kernels do not pass the processor between them by a yield. Then a rank sleeps at once.
#pragma once

#include <cstdint>

#include "engine/wait/processors.hpp"

namespace gondwana {

class WaitPolicy {
 public:
  // `spins`: polls before the first yield, 0 for the default.
  WaitPolicy(const Processors& processors, std::uint32_t spins);

  std::uint32_t spins() const { return spins_; }
  // Polls before a wait is traced: all of them, unless the job is traced.
  std::uint32_t untraced_spins() const { return untraced_spins_; }

  // The first polls have no pause, because the answer is often one cache miss away.
  static constexpr std::uint32_t eager_spins = 256;
  // A yield longer than this gave the processor to a process that computes. Each waiting rank
  // returns it within a few microseconds.
  std::uint64_t slow_ns() const { return slow_ns_; }

  // The consecutive yields of one wait.
  struct Yields {
    std::uint64_t since_ns = 0;  // 0: none yet
    std::uint64_t before_ns = 0;
    std::uint64_t slow_since_ns = 0;  // start of the last yield, if it was slow
  };
  // Yields once more. Returns false if it is time to sleep.
  bool yield_once(Yields& yields);
  // Called when the yields end, by success or by sleep. `came_late`: a slow yield has delayed the
  // success.
  void end(Yields& yields, bool came_late);

 private:
  // Sleeping ranks leave processors idle, and the kernel takes milliseconds to spread the other
  // ranks again. So a rank that waits for a short phase of a peer does not sleep. If many ranks
  // share a processor, they yield longer: waking all of them takes about 50 us each, and the first
  // to wake must not sleep again before the last one has woken.
  static constexpr std::uint64_t longest_ns = 4'000'000;
  static constexpr std::uint64_t longest_ns_each = 200'000;  // per rank that shares the processor
  static constexpr std::uint64_t shortest_slow_ns = 500'000;
  static constexpr std::uint64_t slow_ns_each = 10'000;
  // A late wait counts as much as this number of others. Single late waits also occur on a rank
  // with its own processor: on virtual machines, and at the start of a job.
  static constexpr std::uint32_t late_weight = 16;
  static constexpr std::uint32_t max_lateness = 3 * late_weight;
  static constexpr std::uint32_t shortest_rest = 256;
  static constexpr std::uint32_t longest_rest = 8192;
  // If at least this number of ranks share a processor, waking all of them takes longer than the
  // time slices of other processes.
  static constexpr std::uint32_t many_ranks = 64;

  void note(bool late);

  // Mutable members are owned by the waiting thread.
  bool yields_help_;
  std::uint32_t spins_;
  std::uint32_t untraced_spins_;
  std::uint64_t slow_ns_;
  std::uint64_t longest_ns_;
  std::uint32_t resting_ = 0;  // waits that sleep at once before yields are tried again
  bool never_rests_;
  std::uint32_t next_rest_ = shortest_rest;
  std::uint32_t lateness_ = 0;
};

}  // namespace gondwana
