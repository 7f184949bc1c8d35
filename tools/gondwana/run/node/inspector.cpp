#include "run/node/inspector.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <string>

#include "core/machine.hpp"
#include "memory/live.hpp"
#include "report/why/report.hpp"
#include "run/node/needed_libraries.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t no_limit_ns = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::vector<Survivor> Inspector::survivors() const {
  std::vector<Survivor> result;
  for (std::uint32_t rank = 0; rank < job_.ranks().size(); ++rank)
    if (job_.is_there(rank)) result.push_back({job_.ranks().global(rank), wire_.pages(rank)});
  return result;
}

// The guardian may read the stacks of its ranks even if other processes may not. It does nothing
// else meanwhile.
std::string Inspector::describe(Report report, FunctionRef<bool()> is_interrupted) const {
  const bool at_once = report == Report::why_at_once;
  if (report == Report::why || at_once) {
    const std::optional<std::string> why =
        why::examine_job(fmt::to_string(::getpid()), {}, at_once ? second_ns : no_limit_ns,
                         [&] { return at_once && is_interrupted(); });
    if (!why) return {};
    if (!why->empty()) return *why;
  }
  const std::vector<Survivor> ranks = survivors();
  if (report == Report::waiting && describe_waiting(ranks).empty()) return {};
  return ranks.empty() ? "" : describe_ranks(ranks);
}

RankEnded Inspector::end_of(std::uint32_t rank, int wait_status) const {
  const bool killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
  return {rank, wait_status, remains_of(wire_.pages(rank), wire_.has_joined(rank), monotonic_ns()),
          killed ? oom_.check() : OomWatch::Finding::nothing, wire_.can_lose_ranks()};
}

RanksSeen Inspector::states() const {
  RanksSeen seen{.states = {}, .others_can_continue = wire_.can_lose_ranks()};
  for (std::uint32_t rank = 0; rank < job_.ranks().size(); ++rank)
    seen.states.push_back(wire_.state(rank));
  return seen;
}

std::optional<NodeEvent> Inspector::look_for_deadlock(bool sees_all_ranks) {
  // In a job on several nodes no guardian sees all ranks, so the node agents look.
  if (!sees_all_ranks) {
    const NodeHeader& header = wire_.header();
    // Pairs with the release by the agent.
    if (header.is_over.load(std::memory_order_acquire) != 1) return std::nullopt;
    return NobodyCanGoOn{text_in(header.why)};
  }
  const Admission& ranks = job_.ranks();
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].is_awaited) return std::nullopt;
  std::vector<Sleeper> sleepers;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].alive && wire_.state(rank) != RankState::finalized)
      sleepers.push_back({rank, ranks[rank].program, wire_.pages(rank)});
  if (!deadlock_.holds(sleepers.empty() ? std::nullopt : find_stillness(sleepers)))
    return std::nullopt;
  std::vector<std::uint32_t> ended;
  std::vector<std::uint32_t> in_exit;
  std::vector<std::uint32_t> finalizing;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].alive)
      ended.push_back(ranks.global(rank));
    else if (is_in_exit(*wire_.pages(rank).threads))
      in_exit.push_back(ranks.global(rank));
    else if (is_finalizing(*wire_.pages(rank).threads))
      finalizing.push_back(ranks.global(rank));
  }
  const bool any_ends = !ended.empty() || !in_exit.empty();
  const std::uint32_t leaving = wire_.header().leaving.load(std::memory_order_relaxed);
  return DeadlockSeen{.any_leaves = any_ends || !finalizing.empty(),
                      .all_leave = leaving == ranks.size(),
                      .sentence = any_ends ? describe_deadlock(ended, in_exit, wire_.environment())
                                           : describe_finalizing(finalizing, wire_.environment())};
}

std::vector<std::string> Inspector::describe_no_jobs(const std::vector<Program>& programs) const {
  std::vector<std::string> sentences;
  std::uint32_t first = 0;
  for (const Program& program : programs) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = first; rank < first + program.ranks; ++rank)
      if (!wire_.has_joined(rank)) ranks.push_back(job_.ranks().global(rank));
    first += program.ranks;
    if (ranks.size() < program.ranks) continue;
    const std::string library = other_runtime(program.path);
    if (!library.empty()) sentences.push_back(describe_no_job(ranks, program.words[0], library));
  }
  return sentences;
}

}  // namespace gondwana::launch
