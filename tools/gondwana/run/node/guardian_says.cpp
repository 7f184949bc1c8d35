// What the guardian says of the ranks.
#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "core/machine.hpp"
#include "report/why/report.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/guardian.hpp"
#include "run/node/needed_libraries.hpp"

namespace gondwana::launch {

void Guardian::say_who_waits() {
  const std::vector<Survivor> ranks = survivors();
  if (!describe_waiting(ranks).empty()) output_.say(describe_ranks(ranks));
}

void Guardian::say_where_ranks_are() {
  const std::vector<Survivor> ranks = survivors();
  if (!ranks.empty()) output_.say(describe_ranks(ranks));
}

// As `gondwana why` does. The guardian may read the stacks of its ranks where others may not. It
// does nothing else meanwhile.
void Guardian::say_why() {
  const std::string report = why::examine_job(fmt::to_string(::getpid()), {}, [] { return true; });
  if (report.empty()) return say_where_ranks_are();
  output_.say(report);
}

void Guardian::say_why_at_once() {
  constexpr std::uint64_t longest_ns = 1'000'000'000;
  const std::uint64_t end_ns = monotonic_ns() + longest_ns;
  bool is_left = false;
  const auto goes_on = [&] {
    is_left = is_left || events_.hold();
    return !is_left && monotonic_ns() < end_ns;
  };
  const std::string report = why::examine_job(fmt::to_string(::getpid()), {}, goes_on);
  if (is_left) return;
  if (report.empty()) return say_where_ranks_are();
  output_.say(report);
}

// Of programs that never ask to join, such as hostname, it says nothing.
void Guardian::say_who_took_no_part() {
  std::vector<std::uint32_t> silent;
  for (const std::uint32_t rank : absentees_.ranks()) {
    const NodeRanks here = job_.node_ranks();
    if (here.holds(Rank(rank)) && wire_.has_joined(here.slot_of(Rank(rank))))
      silent.push_back(rank);
  }
  if (status_ || silent.empty()) return;
  output_.say(fmt::format("rank{} {} ended without a call of shmem_init or gex_Client_Init",
                          silent.size() == 1 ? "" : "s", format_ranks(silent)));
}

void Guardian::say_what_was_no_job() {
  std::uint32_t first = 0;
  for (const Program& program : job_.programs) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = first; rank < first + program.ranks; ++rank)
      if (!wire_.has_joined(rank)) ranks.push_back(global(rank));
    first += program.ranks;
    if (ranks.size() < program.ranks || job_.share.total == 1) continue;
    const std::string library = other_runtime(program.path);
    if (library.empty()) continue;
    output_.say(describe_no_job(ranks, program.words[0], library));
  }
}

}  // namespace gondwana::launch
