#include "run/node/departures.hpp"

#include <fmt/format.h>

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
  if (!job.max_ranks && !job.continues_after_death())
    return refused(
        "this job cannot lose ranks; start it with `gondwana run --max-ranks` or "
        "--on-death=continue");
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
  if (numbers.size() >= count_there(ranks))
    return refused("no rank would be left; to end the job, send SIGTERM to its launcher");
  return {};
}

}  // namespace gondwana::launch
