#include "report/why/slow_ranks.hpp"

#include <algorithm>
#include <vector>

#include "report/why/wait_graph.hpp"

namespace gondwana::why {
namespace {

// The time that the living ranks waited, as a share of the time of the watch, in ascending order.
std::vector<double> waited_shares(const jobs::JobSeen& job) {
  std::vector<double> shares;
  for (const jobs::RankSeen& rank : job.seen)
    if (is_alive(rank)) shares.push_back(rank.waited);
  std::ranges::sort(shares);
  return shares;
}

}  // namespace

std::optional<SlowRanks> find_slow(const jobs::JobSeen& job) {
  constexpr double long_enough_s = 0.5;
  constexpr double is_notable = 0.4;
  constexpr double small_share = 0.34;
  const std::vector<double> shares = waited_shares(job);
  if (shares.size() < 2) return std::nullopt;
  const double upper = shares[shares.size() - 1 - (shares.size() - 1) / 4];
  if (job.watched_s < long_enough_s || upper < is_notable) return std::nullopt;
  double waited = 0;
  Ranks slow;
  for (const jobs::RankSeen& rank : job.seen) {
    if (!is_alive(rank) || rank.waited >= small_share * upper) continue;
    slow.push_back(rank.rank);
    waited += rank.waited;
  }
  if (slow.empty() || 2 * slow.size() > shares.size()) return std::nullopt;
  const double share = waited / static_cast<double>(slow.size());
  return SlowRanks{slow, text_of(sentences::slow, slow, 100 * share, format_seconds(job.watched_s),
                                 100 * upper)};
}

}  // namespace gondwana::why
