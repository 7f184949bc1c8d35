#include "bootstrap/join_foreign.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "bootstrap/job_memory.hpp"
#include "bootstrap/key_value_space.hpp"
#include "bootstrap/parent.hpp"
#include "bootstrap/pmi1.hpp"
#include "bootstrap/pmix/client.hpp"
#include "bootstrap/receive_job.hpp"
#include "bootstrap/rendezvous.hpp"

namespace gondwana {
namespace {

struct Terms {
  Deadline deadline;
  std::uint32_t node_ranks;
};

template <KeyValueSpace Space>
Result<Membership> join_through(Space& space, const StartedBy& by, const Terms& terms) {
  Result<Membership> self = Rendezvous<Space>(space, by, terms.deadline).join(terms.node_ranks);
  if (!self) {
    return Error{self.error().code, fmt::format("rank {} of {}, started by {}: {}", space.rank(),
                                                space.size(), by.launcher, self.error().text)};
  }
  if (started_by_lasting_thread())
    if (const Result<void> tied = die_with_parent(); !tied) return tied.error();
  return self;
}

// The session lasts as long as the rank, so the rank can end the job or leave it. A PMIx session
// has a thread, asleep from here on; the program's variables move to shared memory while it exists.
// Closing the session first would work, but an MPI in the same program could not open it again
// (PMIx 4.2 then knows nothing of the job), and mpirun would not notice a rank that disappears by
// _exit(0).
template <typename Session>
LauncherLink::Foreign link_through(const std::shared_ptr<Session>& session) {
  return {[session](int status) { return session->abort(status); },
          [session] { session->finish(); }};
}

Result<Membership> join_through_pmix(Pmix opened, const StartedBy& by, const Terms& terms) {
  const auto session = std::make_shared<Pmix>(std::move(opened));
  Result<Membership> self = session->size() > 1 ? join_through(*session, by, terms) : join_alone();
  if (self) self->launcher = LauncherLink(link_through(session));
  return self;
}

Result<Membership> join_through_pmi1(const Pmi1Start& start, const StartedBy& by,
                                     const Terms& terms) {
  Result<Pmi1> opened = Pmi1::open(start.socket, start.rank, start.size, terms.deadline);
  if (!opened) return opened.error();
  const auto session = std::make_shared<Pmi1>(*std::move(opened));
  Result<Membership> self = join_through(*session, by, terms);
  if (!self) return self;
  LauncherLink::Foreign link = link_through(session);
  link.take_part = [session] { session->keep_from_successors(); };
  self->launcher = LauncherLink(std::move(link));
  return self;
}

}  // namespace

Error no_bootstrap(const StartedBy& by) {
  const auto& [variable, size] = *by.claim;
  return {Errc::missing,
          fmt::format("{}={}: another launcher started {} processes, {}, without PMIx "
                      "(PMIX_NAMESPACE) or PMI-1 (PMI_FD, PMI_RANK), so they cannot find each "
                      "other. {}, or unset {} to run one process alone",
                      variable, size, size, by.launcher, by.remedy, variable)};
}

Error out_of_reach(const StartedBy& by, const Error& error) {
  const auto& [variable, size] = *by.claim;
  return {error.code, fmt::format("{}={}: another launcher started {} processes, {}: {}", variable,
                                  size, size, by.launcher, error.text)};
}

Result<Membership> join_alone() {
  Result<JobMemory> memory = JobMemory::create(NodeShare::whole(1), 0, own_environment());
  if (!memory) return memory.error();
  return keep_job(*std::move(memory));
}

// A nested launcher inherits the variables of the outer one: PMI-1 may be right where PMIx is not.
JoinWay way_to_join(const StartedBy& by, std::uint32_t pmix_size) {
  if (pmix_size > 1 || (pmix_size == 1 && !by.pmi1)) return JoinWay::pmix;
  if (by.pmi1) return JoinWay::pmi1;
  return by.claim ? JoinWay::none : JoinWay::alone;
}

Result<Membership> join_foreign(const StartedBy& by, const Options& options) {
  const Terms terms{Deadline(options.join_timeout), options.max_on_node()};
  std::optional<Result<Pmix>> session;
  if (by.has_pmix) session = Pmix::open();
  const bool is_open = session && *session;
  switch (way_to_join(by, is_open ? (*session)->size() : 0)) {
    case JoinWay::pmix:
      return join_through_pmix(**std::move(session), by, terms);
    case JoinWay::pmi1:
      session.reset();
      return join_through_pmi1(*by.pmi1, by, terms);
    case JoinWay::none:
      return session && !is_open ? out_of_reach(by, session->error()) : no_bootstrap(by);
    case JoinWay::alone:
      break;
  }
  return join_alone();
}

}  // namespace gondwana
