// Describes the waits of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/variables.hpp"
#include "memory/control_page.hpp"

namespace gondwana {

// "rank 1 has ended; rank 2 has called exit and waits for the others to finalize", or empty.
std::string describe_leaving(std::span<const std::uint32_t> ended,
                             std::span<const std::uint32_t> in_exit);

// The end of this report for a job that cannot continue. The ranks have this environment.
std::string no_rank_can_continue(const Environment& ranks = own_environment());

// Describes ranks that wait for ranks that have ended or that wait in exit().
std::string describe_deadlock(std::span<const std::uint32_t> ended,
                              std::span<const std::uint32_t> in_exit, const Environment& ranks);

// The same for ranks that have finalized their interface too early.
std::string describe_finalizing(std::span<const std::uint32_t> ranks, const Environment& of_ranks);

// A living rank.
struct Survivor {
  std::uint32_t rank;
  RankPages pages;
};

// "ranks 0, 1, 3 wait in shmem_barrier_all"; empty if no rank waits.
std::string describe_waiting(std::span<const Survivor> survivors);

// The same with the ranks that do not wait: "rank 2 is outside any blocking call".
std::string describe_ranks(std::span<const Survivor> survivors);

// "0-2, 5"
std::string format_ranks(std::span<const std::uint32_t> ranks);

// "rank 1 is ...", "ranks 1, 2 are ...", or empty.
std::string describe_some(std::span<const std::uint32_t> ranks, std::string_view what_one_is,
                          std::string_view what_they_are);

}  // namespace gondwana
