// How a guardian changes its job while it runs: more ranks, ranks that are started again, and the
// requests of users.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "core/machine.hpp"
#include "run/node/guardian.hpp"
#include "run/node/request_events.hpp"

namespace gondwana::launch {

void Guardian::on_request(std::uint32_t asker, link::JobRequest request) {
  const Result<NodeEvent> event = event_of(asker, std::move(request), wire_);
  if (!event) return answer(asker, event.error());
  handle(*event);
}

// What the conductor tells about ranks that are added, or are to leave.
void Guardian::on_growth(Frame& order) {
  if (const auto* grown = std::get_if<Grown>(&order)) wire_.announce_growth(*grown);
  if (const auto* arrived = std::get_if<Arrived>(&order)) wire_.announce_arrival(arrived->rank);
  if (const auto* decision = std::get_if<WorldDecision>(&order)) wire_.announce_world(*decision);
  if (const auto* dismissed = std::get_if<Dismissed>(&order)) handle(*dismissed);
  if (const auto* answer = std::get_if<Answer>(&order)) handle(*answer);
}

// Ranks that take the places of dead ones must find in their memory that these are dead.
void Guardian::start_late_ranks() {
  if (!wire_.knows_changes(job_.share.past_changes) || !decisions_.end().is_idle()) return;
  if (const Result<void> started = start_ranks(); !started)
    handle(Failed{started.error(), exit_status(started.error().code)});
}

// Whether this is a process that the node starts with, and no former process of its ranks.
bool Guardian::is_own(const DeadRank& process) const {
  const Session& own = job_.share.session;
  if (!job_.share.is_replacement()) return own.first <= process.rank && process.rank < own.end();
  const std::optional<std::uint32_t> rank = decisions_.ranks().local(process.rank);
  return rank && process.incarnation >= decisions_.ranks()[*rank].incarnation;
}

// Ranks that are about to join later need no rank that is dead already.
bool Guardian::can_lose(const DeadRanks& dead) const {
  const bool are_others = std::ranges::none_of(
      dead.ranks, [this](const RankDeath& one) { return is_own(one.process); });
  const bool are_leaves = std::ranges::all_of(
      dead.ranks, [](const RankDeath& one) { return one.how == DeathKind::leave; });
  return are_leaves || wire_.can_lose_ranks() ||
         (job_.share.joins_later() && are_others && !wire_.needs_all_ranks());
}

// A rank or a user has asked for more ranks.
void Guardian::answer(std::uint32_t asker, const Result<std::uint32_t>& first) {
  if (asker < RequestDesk::first_asker) return links_.answer(asker, first);
  desk_.answer(asker, {!first, first ? fmt::format("more ranks start, from rank {} on", *first)
                                     : first.error().text});
}

// Starts ranks of a job that runs. They join together, and alone.
Result<void> Guardian::start_session(const Program& program, const Session& session) {
  EnvironmentBlock environment = starter_.environment_of(program, session.end());
  for (std::uint32_t i = 0; i < session.ranks; ++i) {
    const std::uint32_t rank = session.first - job_.share.first + i;
    wire_.begin_session(rank, session);
    if (Result<void> done = start_rank_of(program, environment, rank); !done) return done;
  }
  return {};
}

void Guardian::add_ranks(const AddRanks& add) {
  Result<void> done = wire_.add(add.session);
  if (done) done = start_session(add.program, add.session);
  if (done) return answer(add.asker, add.session.first);
  handle(RanksFailed{add.session});
  const Admission& ranks = decisions_.ranks();
  for (std::uint32_t rank = add.session.first; rank < add.session.end(); ++rank)
    if (ranks[rank - job_.share.first].alive) ::kill(-ranks[rank - job_.share.first].pid, SIGKILL);
  answer(add.asker, done.error());
}

// The others must not write to the memory of the dead afterwards.
void Guardian::start_again() {
  if (awaited_.empty()) return;
  const bool is_over = !decisions_.end().is_idle();
  std::vector<bool> absent;
  absent.reserve(decisions_.ranks().size());
  for (std::uint32_t rank = 0; rank < decisions_.ranks().size(); ++rank)
    absent.push_back(!decisions_.is_there(rank));
  if (!is_over && !wire_.has_told(absent) && monotonic_ns() < awaited_until_ns_) return;
  for (const std::uint32_t rank : std::exchange(awaited_, {})) {
    Result<void> started;
    if (!is_over) started = start_again(rank);
    if (is_over || !started) handle(NotRestarted{rank, started ? "" : started.error().text});
  }
}

Result<void> Guardian::start_again(std::uint32_t rank) {
  if (const Result<void> renewed = wire_.renew(rank); !renewed) return renewed;
  const Program& program = decisions_.program_of(rank);
  EnvironmentBlock environment = starter_.environment_of(program, decisions_.ranks().total());
  return start_rank_of(program, environment, rank);
}

}  // namespace gondwana::launch
