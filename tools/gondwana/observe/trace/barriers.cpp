// Matches the calls of several ranks that are one barrier, and finds the rank that came last.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "observe/trace/flows.hpp"

namespace gondwana::trace {
namespace {

struct Arrival {
  std::int64_t begin_ns;  // by the clock of the first node
  std::int64_t end_ns;
  EventId event;
};
using Arrivals = std::vector<Arrival>;  // of one rank, in order

// The ranks of a team: `size` ranks from `first`, `distance` apart.
struct Members {
  std::uint32_t first;
  std::uint64_t distance;
  std::uint64_t size;

  friend auto operator<=>(const Members&, const Members&) = default;
};
using Team = std::map<std::uint32_t, Arrivals>;

std::map<Members, Team> teams_in(const std::vector<NodeTrace>& nodes) {
  std::map<Members, Team> teams;
  for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                        const EventId& id) {
    if (event.kind != EventKind::barrier) return;
    const Members members = event.bytes != 0 ? Members{event.peer, event.place, event.bytes}
                                             : Members{0, 1, node.job_ranks};
    if (members.size < 2) return;
    const std::int64_t end_ns =
        event.is_open ? std::numeric_limits<std::int64_t>::max() : node.here(event.end_ns());
    teams[members][rank.rank].push_back({node.here(event.begin_ns), end_ns, id});
  });
  for (auto& [members, team] : teams)
    for (auto& [rank, arrivals] : team) std::ranges::stable_sort(arrivals, {}, &Arrival::begin_ns);
  return teams;
}

// How well the calls of two ranks match if call n of one is call n + shift of the other: how many
// pairs are impossible because one call ended before the other began, and how far apart their ends
// are.
struct Fit {
  std::size_t impossible = 0;
  double apart = 0;
  auto operator<=>(const Fit&) const = default;
};

Fit fit_of(const Arrivals& one, const Arrivals& other, std::ptrdiff_t shift, std::int64_t error) {
  Fit fit;
  std::size_t pairs = 0;
  const std::size_t step = std::max<std::size_t>(one.size() / 1000, 1);
  for (std::size_t number = 0; number < one.size(); number += step) {
    const auto at = static_cast<std::ptrdiff_t>(number) + shift;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(other.size())) continue;
    const Arrival& mine = one[number];
    const Arrival& theirs = other[static_cast<std::size_t>(at)];
    ++pairs;
    if (mine.end_ns < theirs.begin_ns - error || theirs.end_ns < mine.begin_ns - error)
      ++fit.impossible;
    constexpr auto open = std::numeric_limits<std::int64_t>::max();
    if (mine.end_ns != open && theirs.end_ns != open)
      fit.apart += std::abs(static_cast<double>(mine.end_ns - theirs.end_ns));
  }
  if (pairs == 0) return {std::numeric_limits<std::size_t>::max(), 0};
  fit.apart /= static_cast<double>(pairs);
  return fit;
}

// A rank may have kept more earlier calls than another one, and a trace may end between the
// arrivals of two ranks. The first guess pairs the calls that ended at the same time.
std::ptrdiff_t shift_between(const Arrivals& one, const Arrivals& other, std::int64_t error) {
  const std::size_t middle = one.size() / 2;
  const auto close = std::ranges::lower_bound(other, one[middle].begin_ns, {}, &Arrival::end_ns);
  const std::ptrdiff_t guess = (close - other.begin()) - static_cast<std::ptrdiff_t>(middle);
  std::ptrdiff_t best = guess;
  Fit best_fit{std::numeric_limits<std::size_t>::max(), 0};
  for (std::ptrdiff_t shift = guess - 2; shift <= guess + 2; ++shift) {
    const Fit fit = fit_of(one, other, shift, error);
    if (fit >= best_fit) continue;
    best_fit = fit;
    best = shift;
  }
  return best;
}

// Adds the arrivals of all members at one barrier, by the number of its call at the first member.
// Unknown arrivals are missing.
void add_barriers(const Members& members, const Team& team, std::int64_t error, Barriers& found) {
  const Arrivals& first = team.begin()->second;
  std::vector<std::pair<const Arrivals*, std::ptrdiff_t>> shifts;
  for (const auto& [rank, arrivals] : team)
    shifts.emplace_back(&arrivals, shift_between(first, arrivals, error));
  for (std::size_t number = 0; number < first.size(); ++number) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> begins;
    std::vector<EventId> events;
    auto member = team.begin();
    for (const auto& [arrivals, shift] : shifts) {
      const std::uint32_t rank = (member++)->first;
      const auto at = static_cast<std::ptrdiff_t>(number) + shift;
      if (at < 0 || at >= static_cast<std::ptrdiff_t>(arrivals->size())) break;
      const Arrival& arrival = (*arrivals)[static_cast<std::size_t>(at)];
      begins.emplace_back(arrival.begin_ns, rank);
      events.push_back(arrival.event);
    }
    if (events.size() != members.size) continue;
    const auto last = std::ranges::max_element(begins);
    const EventId event = events[static_cast<std::size_t>(last - begins.begin())];
    const auto [last_ns, rank] = *last;
    *last = {std::numeric_limits<std::int64_t>::min(), 0};
    const std::int64_t before = std::ranges::max_element(begins)->first;
    for (const EventId& id : events) found[id] = {event, rank, last_ns - before};
  }
}

}  // namespace

Barriers find_barriers(const std::vector<NodeTrace>& nodes) {
  std::int64_t error = 0;
  for (const NodeTrace& node : nodes) error = std::max(error, 2 * node.error_ns);
  Barriers barriers;
  for (const auto& [members, team] : teams_in(nodes))
    if (team.size() == members.size) add_barriers(members, team, error, barriers);
  return barriers;
}

std::vector<Flow> outgoing_flows(const Barriers& barriers) {
  std::vector<Flow> flows;
  for (const auto& [event, last] : barriers)
    if (event != last.event) flows.push_back({last.event, event});
  return flows;
}

}  // namespace gondwana::trace
