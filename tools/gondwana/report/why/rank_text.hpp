// Lists of ranks, and texts about ranks, calls and times, for the messages of `gondwana why`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "memory/rank_report.hpp"
#include "observe/jobs/watch.hpp"
#include "report/why/sentences.hpp"

namespace gondwana::why {

using Ranks = std::vector<std::uint32_t>;

Ranks ranks_that(const jobs::JobSeen& job, auto&& condition) {
  Ranks ranks;
  for (const jobs::RankSeen& rank : job.seen)
    if (condition(rank)) ranks.push_back(rank.rank);
  return ranks;
}

// The activity of a rank, without its number: "waits in shmem_barrier_all for 12 s".
std::string describe(const jobs::RankSeen& rank);

// Returns "12 s", "3 min" or "250 ms".
std::string format_seconds(double seconds);

std::string team_name(std::uint32_t team);

// "shmem_set_lock on locks+8"
std::string call_of(const jobs::WaitSeen& wait);

// "shmem_int_wait_until on flag, which is 0, until it is 7"
std::string call_and_value_of(const jobs::WaitSeen& wait);

// Formats all stuck ranks: "; ranks 0-2 wait in shmem_barrier_all for 12 s".
std::string waiting_in(const jobs::JobSeen& job);

void add_to(std::string& list, const std::string& item, std::string_view before = ", ");

template <typename... Arguments>
std::string text_of(const Sentence<std::string_view, Arguments...>& sentence, const Ranks& ranks,
                    const std::type_identity_t<Arguments>&... arguments) {
  return sentence(ranks.size(), format_ranks(ranks), arguments...);
}

}  // namespace gondwana::why
