#include "run/node/growth.hpp"

#include <fmt/format.h>

namespace gondwana::launch {

Error no_growth() {
  return {Errc::refused,
          "this job cannot grow; start it with `gondwana run --max-ranks` and the most ranks that "
          "it may have"};
}

Error too_many_ranks(std::uint32_t more, std::uint32_t size, std::uint32_t most) {
  return {Errc::refused,
          fmt::format("{} more rank{}: {} ranks have had a number, and --max-ranks {} allows no "
                      "more than {} others",
                      more, more == 1 ? "" : "s", size, most, most - size)};
}

Result<Session> admit_more(const Job& job, const Admission& ranks, bool is_ending,
                           std::uint32_t more) {
  if (is_ending || ranks.all_alive() == 0) return Error{Errc::refused, "the job ends"};
  if (!job.max_ranks) return no_growth();
  if (more > *job.max_ranks - ranks.size())
    return too_many_ranks(more, ranks.size(), *job.max_ranks);
  return Session{ranks.global(0) + ranks.size(), more};
}

const Program& own_program(const Job& job, std::span<const AddRanks> added, std::uint32_t rank) {
  std::uint32_t end = 0;
  for (const Program& each : job.programs)
    if ((end += each.ranks) > rank) return each;
  for (const AddRanks& each : added)
    if ((end += each.program.ranks) > rank) return each.program;
  return job.programs.back();
}

Program program_of(const Job& job, std::span<const AddRanks> added, const RanksWanted& wanted) {
  const bool is_of_rank = wanted.asker < protocol::max_ranks;
  Program program = own_program(job, added, is_of_rank ? wanted.asker : 0);
  program.ranks = wanted.ranks;
  if (wanted.command.words.empty()) return program;
  program.words = wanted.command.words;
  program.folder = wanted.command.folder;
  program.path = wanted.path;
  return program;
}

}  // namespace gondwana::launch
