#include "run/node/departures.hpp"

#include <fmt/format.h>

#include "memory/rank_report.hpp"

namespace gondwana::launch {
namespace {

bool is_there(const RankRecord& rank) {
  return rank.alive && !rank.is_dead && !rank.has_left;
}

std::uint32_t count_there(const Admission& ranks) {
  std::uint32_t there = 0;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) there += is_there(ranks[rank]) ? 1 : 0;
  return there;
}

Error refused(std::string text) {
  return {Errc::refused, std::move(text)};
}

}  // namespace

Result<void> admit_departures(const Job& job, const Admission& ranks, bool is_ending,
                              bool others_can_continue, std::span<const std::uint32_t> numbers) {
  if (is_ending) return refused("the job ends");
  if (!job.max_ranks && !job.continues_after_death()) return cannot_lose_ranks();
  if (!others_can_continue)
    return refused(
        "a rank has not called shmem_init yet, or uses GASNet-EX or ARMCI, whose jobs cannot lose "
        "ranks");
  if (numbers.empty()) return refused("no rank is named");
  const std::uint32_t first = ranks.global(0);
  for (const std::uint32_t number : numbers) {
    if (number < first || number - first >= ranks.size())
      return refused(fmt::format("rank {}: this job has ranks {} to {}", number, first,
                                 first + ranks.size() - 1));
    if (!is_there(ranks[number - first]))
      return refused(fmt::format("rank {} has ended, or is about to be started", number));
  }
  if (numbers.size() >= count_there(ranks)) return none_would_be_left();
  return {};
}

Error cannot_lose_ranks() {
  return refused(
      "this job cannot lose ranks; start it with `gondwana run --max-ranks` or "
      "--on-death=continue");
}

Error none_would_be_left() {
  return refused("no rank would be left; to end the job, send SIGTERM to its launcher");
}

std::string describe_dismissed(std::span<const std::uint32_t> ranks) {
  const bool is_one = ranks.size() == 1;
  return fmt::format("rank{} {} {} asked to leave", is_one ? "" : "s", format_ranks(ranks),
                     is_one ? "was" : "were");
}

}  // namespace gondwana::launch
