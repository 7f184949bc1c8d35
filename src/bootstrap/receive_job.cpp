#include "bootstrap/receive_job.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bootstrap/protocol.hpp"
#include "memory/layout.hpp"

namespace gondwana {
namespace {

// The next message of the wanted kind, with its descriptor. An earlier program of this rank may
// have asked for messages and ended before it read them: the same messages in the same order, cut
// short. The caller skips them and finds its own.
template <std::predicate<const protocol::Message&> Wanted>
Result<protocol::Received> await(const JobSource& source, const Wanted& is_wanted) {
  for (;;) {
    Result<std::optional<protocol::Received>> received =
        protocol::receive(source.socket, source.tag, source.timeout_ms);
    if (!received) return received.error();
    if (!*received) return Error{Errc::peer_lost, fmt::format("{} has ended", source.name)};
    if (!is_wanted((*received)->message)) continue;
    if (!(*received)->attachment) {
      return Error{Errc::malformed,
                   fmt::format("{} sent a message without its memory", source.name)};
    }
    return **std::move(received);
  }
}

Result<UniqueFd> receive_arena(const JobSource& source, std::uint32_t number) {
  Result<protocol::Received> received = await(source, [number](const protocol::Message& message) {
    const auto* arena = std::get_if<protocol::Arena>(&message);
    return arena != nullptr && arena->number == number;
  });
  if (!received) return received.error();
  return std::move(received->attachment);
}

}  // namespace

Result<Membership> receive_job(const JobSource& source) {
  Result<protocol::Received> received = await(source, [](const protocol::Message& message) {
    return std::holds_alternative<protocol::Welcome>(message);
  });
  if (!received) return received.error();
  const auto* welcome = std::get_if<protocol::Welcome>(&received->message);
  if (welcome->layout != memory_fingerprint) {
    return Error{
        Errc::refused,
        fmt::format("{} is from a different build than the library; use both from one installation",
                    source.name)};
  }
  Membership self;
  self.plan = NodePlan{welcome->share(), welcome->stride, welcome->huge, welcome->ring_size,
                       static_cast<std::uint32_t>(welcome->teams)};
  self.rank = self.plan.node_ranks()[welcome->rank];
  self.session = welcome->session;
  self.ranks = self.session.end();
  self.control = std::move(received->attachment);
  self.job_tag = welcome->job_tag;
  JobSource rest = source;
  rest.tag = welcome->job_tag;
  self.next_arena = [rest](std::uint32_t number) { return receive_arena(rest, number); };
  return self;
}

Membership keep_job(JobMemory memory) {
  Membership self;
  self.rank = memory.plan().node_ranks().front();
  self.session = memory.plan().first_session();
  self.ranks = self.session.end();
  self.plan = memory.plan();
  self.job_tag = memory.tag();
  self.control = memory.take_control();
  // Shared because a std::function must be copyable.
  const auto rest = std::make_shared<JobMemory>(std::move(memory));
  self.next_arena = [rest](std::uint32_t number) -> Result<UniqueFd> {
    return rest->take_arena(number);
  };
  return self;
}

}  // namespace gondwana
