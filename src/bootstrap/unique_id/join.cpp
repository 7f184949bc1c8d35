#include "bootstrap/unique_id/join.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "bootstrap/join_foreign.hpp"
#include "bootstrap/rendezvous.hpp"

namespace gondwana {
namespace {

// The connection lasts as long as this rank is in the job.
LauncherLink link_of(const std::shared_ptr<UniqueSession>& session) {
  return LauncherLink({.end_job = [session](int /*status*/) { return Result<void>(); },
                       .leave = {},
                       .ends_ranks = false});
}

}  // namespace

Result<Membership> join_by_unique_id(const UniqueStart& start, const Options& options) {
  const StartedBy by{
      "a unique id", "", "number the processes of one host one after the other", {}, false, {}, {}};
  const Deadline deadline(options.join_timeout);
  const auto fail = [&](const Error& error) {
    return Error{error.code, fmt::format("rank {} of {}: {}", start.rank, start.size, error.text)};
  };
  Result<UniqueSession> opened = UniqueSession::open(start, deadline);
  if (!opened) return fail(opened.error());
  const auto session = std::make_shared<UniqueSession>(*std::move(opened));
  Result<Membership> self =
      start.size == 1
          ? join_alone()
          : Rendezvous<UniqueSession>(*session, by, deadline).join(options.max_on_node());
  if (!self) return fail(self.error());
  if (const Result<void> said = session->finish(); !said) return fail(said.error());
  self->launcher = link_of(session);
  return self;
}

}  // namespace gondwana
