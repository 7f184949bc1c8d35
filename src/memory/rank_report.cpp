#include "memory/rank_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/debug_hint.hpp"
#include "memory/live.hpp"

namespace gondwana {
namespace {

struct Waiters {
  std::vector<std::uint32_t> ranks;
  std::set<std::uint32_t> peers;
};

// In a queue, for instance of a lock, each rank waits for the one before it. The first one waits
// for the rank that does not wait, so that rank is named.
std::string describe_waiters(const std::string& call, Waiters& waiters) {
  waiters.peers.erase(Waiting::any_rank);
  for (const std::uint32_t rank : waiters.ranks) waiters.peers.erase(rank);
  const std::vector<std::uint32_t> peers(waiters.peers.begin(), waiters.peers.end());
  const bool one = waiters.ranks.size() == 1;
  std::string text = fmt::format("rank{} {} wait{} in {}", one ? "" : "s",
                                 format_ranks(waiters.ranks), one ? "s" : "", call);
  if (!peers.empty())
    text += fmt::format(" for rank{} {}", peers.size() == 1 ? "" : "s", format_ranks(peers));
  return text;
}

void append(std::string& text, const std::string& clause) {
  if (!text.empty() && !clause.empty()) text += "; ";
  text += clause;
}

}  // namespace

std::string describe_some(std::span<const std::uint32_t> ranks, std::string_view what_one_is,
                          std::string_view what_they_are) {
  if (ranks.empty()) return {};
  if (ranks.size() == 1) return fmt::format("rank {} {}", ranks.front(), what_one_is);
  return fmt::format("ranks {} {}", format_ranks(ranks), what_they_are);
}

std::string no_rank_can_continue(const Environment& ranks) {
  const std::string hint = suggest_debug(ranks);
  return "; no remaining rank can continue, and all are ended. A rank should finalize its "
         "interface, or end its program, only when no other rank waits for it" +
         (hint.empty() ? hint : ". If a rank has skipped a collective call, " + hint);
}

std::string describe_leaving(std::span<const std::uint32_t> ended,
                             std::span<const std::uint32_t> in_exit) {
  std::string text = describe_some(ended, "has ended", "have ended");
  append(text, describe_some(in_exit, "has called exit and waits for the others to finalize",
                             "have called exit and wait for the others to finalize"));
  return text;
}

std::string describe_deadlock(std::span<const std::uint32_t> ended,
                              std::span<const std::uint32_t> in_exit, const Environment& ranks) {
  return describe_leaving(ended, in_exit) + no_rank_can_continue(ranks);
}

std::string describe_finalizing(std::span<const std::uint32_t> ranks, const Environment& of_ranks) {
  return describe_some(ranks, "finalizes its interface and waits for the others",
                       "finalize their interface and wait for the others") +
         no_rank_can_continue(of_ranks);
}

std::string describe_waiting(std::span<const Survivor> survivors) {
  std::map<std::string, Waiters> waiters_in;
  for (const auto& [rank, pages] : survivors) {
    const Waiting* wait = pages.threads != nullptr ? pages.threads->longest_wait() : nullptr;
    if (wait == nullptr) continue;
    Waiters& waiters = waiters_in[call_in(*wait)];
    waiters.ranks.push_back(rank);
    waiters.peers.insert(wait->peer.load(std::memory_order_relaxed));
  }
  std::string text;
  for (auto& [call, waiters] : waiters_in) append(text, describe_waiters(call, waiters));
  return text;
}

std::string describe_ranks(std::span<const Survivor> survivors) {
  std::vector<std::uint32_t> absent;
  std::vector<std::uint32_t> joining;
  std::vector<std::uint32_t> outside;
  std::vector<std::uint32_t> finalized;
  for (const auto& [rank, pages] : survivors) {
    const RankState state = pages.page == nullptr ? RankState::absent : state_in(*pages.page);
    if (state == RankState::absent)
      absent.push_back(rank);
    else if (state == RankState::finalized)
      finalized.push_back(rank);
    else if (pages.threads->longest_wait() == nullptr)
      (state == RankState::joined ? joining : outside).push_back(rank);
  }
  std::string text = describe_waiting(survivors);
  append(text,
         describe_some(outside, "is outside any blocking call", "are outside any blocking call"));
  append(text, describe_some(joining, "is joining the job", "are joining the job"));
  append(text, describe_some(absent, "has not joined the job", "have not joined the job"));
  append(text, describe_some(finalized, "has left the job", "have left the job"));
  return text;
}

std::string format_ranks(std::span<const std::uint32_t> ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    // A range is shorter from three ranks on: "0, 1" but "0-2".
    if (last - first < 2) last = first;
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", ranks[first])
                          : fmt::format("{}-{}", ranks[first], ranks[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace gondwana
