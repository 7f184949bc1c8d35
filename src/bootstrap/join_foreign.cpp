#include "bootstrap/join_foreign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "bootstrap/card.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/key_value_space.hpp"
#include "bootstrap/parent.hpp"
#include "bootstrap/pmi1.hpp"
#include "bootstrap/pmix/client.hpp"
#include "bootstrap/receive_job.hpp"
#include "bootstrap/reception.hpp"
#include "bootstrap/roll_call.hpp"

namespace gondwana {
namespace {

// All ranks wait for the same, so all find the same ranks missing.
Error not_all_came(const StartedBy& by, const RollCall& roll_call, std::uint32_t ranks,
                   const Deadline& deadline) {
  return {Errc::peer_lost,
          fmt::format("of {} ranks these did not join within {} s (GONDWANA_JOIN_TIMEOUT): {}. Is "
                      "every process that {} started the same program?",
                      ranks, deadline.seconds(), fmt::join(roll_call.missing(ranks), ", "),
                      by.launcher)};
}

// The card of another rank, if memory can be shared with it.
template <KeyValueSpace Space>
Result<Card> meet(Space& space, const Card& own, std::uint32_t other) {
  const Result<std::string> text = space.get(other);
  if (!text) return text.error();
  Result<Card> card = read_card(*text, other);
  if (!card) return card.error();
  if (const Result<void> same = check_same_node(own, space.rank(), *card, other); !same)
    return same.error();
  return card;
}

// Tells all who we are, and returns when all have told us.
template <KeyValueSpace Space>
Result<void> introduce(Space& space, const Card& own, const StartedBy& by,
                       const Deadline& deadline) {
  const RollCall roll_call(space.job(), space.rank());
  if (const Result<void> said = space.put(write_card(own)); !said) return said.error();
  const Result<bool> all = space.fence(deadline);
  if (!all) return all.error();
  if (!*all) return not_all_came(by, roll_call, space.size(), deadline);
  return {};
}

template <KeyValueSpace Space>
Result<Membership> join_as_first(Space& space, Card own, const StartedBy& by,
                                 const Deadline& deadline) {
  Result<Reception> reception = Reception::open(space.size());
  if (!reception) return reception.error();
  own.invitation = reception->invitation();
  if (const Result<void> done = introduce(space, own, by, deadline); !done) return done.error();
  for (std::uint32_t rank = 1; rank < space.size(); ++rank)
    if (const Result<Card> met = meet(space, own, rank); !met) return met.error();
  return (*std::move(reception)).serve(deadline);
}

template <KeyValueSpace Space>
Result<Membership> join_as_other(Space& space, const Card& own, const StartedBy& by,
                                 const Deadline& deadline) {
  if (const Result<void> done = introduce(space, own, by, deadline); !done) return done.error();
  const Result<Card> first = meet(space, own, 0);
  if (!first) return first.error();
  if (!first->invitation) return Error{Errc::malformed, "rank 0 invites nobody"};
  return visit(*first->invitation, space.rank(), deadline);
}

template <KeyValueSpace Space>
Result<Membership> join_through(Space& space, const StartedBy& by, const Deadline& deadline) {
  const Card own{own_node(), own_host(), {}};
  Result<Membership> self = space.rank() == 0 ? join_as_first(space, own, by, deadline)
                                              : join_as_other(space, own, by, deadline);
  if (!self) {
    return Error{self.error().code, fmt::format("rank {} of {}, started by {}: {}", space.rank(),
                                                space.size(), by.launcher, self.error().text)};
  }
  if (started_by_lasting_thread())
    if (const Result<void> tied = die_with_parent(); !tied) return tied.error();
  return self;
}

// The session lasts as long as the rank, to end the job or to leave it. That of PMIx has a thread,
// asleep from here on: the program's variables are laid on shared memory beside it. To close it
// first would do, but an MPI in the same program cannot open it a second time (PMIx 4.2 then knows
// nothing of the job), and mpirun would see nothing wrong in a rank that disappears by _exit(0).
template <typename Session>
LauncherLink link_through(const std::shared_ptr<Session>& session) {
  return LauncherLink(LauncherLink::Foreign{
      [session](int status) { return session->abort(status); }, [session] { session->finish(); }});
}

Result<Membership> join_through_pmix(Pmix opened, const StartedBy& by, const Deadline& deadline) {
  const auto session = std::make_shared<Pmix>(std::move(opened));
  Result<Membership> self =
      session->size() > 1 ? join_through(*session, by, deadline) : join_alone();
  if (self) self->launcher = link_through(session);
  return self;
}

Result<Membership> join_through_pmi1(const Pmi1Start& start, const StartedBy& by,
                                     const Deadline& deadline) {
  Result<Pmi1> opened = Pmi1::open(start.socket, start.rank, start.size, deadline);
  if (!opened) return opened.error();
  const auto session = std::make_shared<Pmi1>(*std::move(opened));
  Result<Membership> self = join_through(*session, by, deadline);
  if (self) self->launcher = link_through(session);
  return self;
}

}  // namespace

Error no_way_to_meet(const StartedBy& by) {
  const auto& [variable, size] = *by.claim;
  return {Errc::missing,
          fmt::format("{}={} says that another launcher started {} processes, {}, but it left them "
                      "no way to find each other: neither PMIx (PMIX_NAMESPACE) nor PMI-1 "
                      "(PMI_FD, PMI_RANK). {}, or unset {} to run one process alone",
                      variable, size, size, by.launcher, by.remedy, variable)};
}

Error out_of_reach(const StartedBy& by, const Error& error) {
  const auto& [variable, size] = *by.claim;
  return {error.code, fmt::format("{}={} says that another launcher started {} processes, {}: {}",
                                  variable, size, size, by.launcher, error.text)};
}

Result<Membership> join_alone() {
  Result<JobMemory> memory = JobMemory::create(NodeShare::whole(1));
  if (!memory) return memory.error();
  return keep_job(*std::move(memory));
}

Result<Membership> join_foreign(const StartedBy& by, std::uint32_t timeout_seconds) {
  const Deadline deadline(timeout_seconds);
  if (by.has_pmix) {
    Result<Pmix> session = Pmix::open();
    // A launcher inside another inherits what that one said: PMI-1 may count where PMIx does not.
    if (session && (session->size() > 1 || !by.pmi1))
      return join_through_pmix(*std::move(session), by, deadline);
    if (!session && !by.pmi1 && by.claim) return out_of_reach(by, session.error());
  }
  if (by.pmi1) return join_through_pmi1(*by.pmi1, by, deadline);
  if (by.claim) return no_way_to_meet(by);
  return join_alone();
}

}  // namespace gondwana
