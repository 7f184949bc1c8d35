#include "remote/client/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/mapping.hpp"
#include "core/thread_stack.hpp"
#include "remote/client/own_endpoint.hpp"
#include "remote/client/through_agent.hpp"

namespace gondwana {
namespace {

// A check for losses or of the clock costs more than a poll. A rank that sleeps on another event
// polls about thirty times a second.
constexpr std::uint32_t polls_between_clocks = 16;

// The stack that network libraries need in the calling thread, with a margin. Measured: 16 KiB in
// libfabric to poll, 36 KiB in UCX to start.
constexpr std::size_t min_stack_to_poll = std::size_t{32} << 10;
constexpr std::size_t min_stack_to_open = std::size_t{64} << 10;

// Returns an error if the calling thread would overflow its stack.
std::optional<Error> examine_stack(std::size_t least) {
  const std::optional<std::size_t> size = own_stack_size();
  if (!size || *size >= least) return std::nullopt;
  return Error{Errc::refused,
               fmt::format("this thread has a stack of {}, but needs at least {} if ranks have "
                           "their own connections to other nodes; give it a larger stack "
                           "(pthread_attr_setstacksize; for the first thread ulimit -s), or let "
                           "the node agents carry the messages (GONDWANA_ROUTE=agent)",
                           format_size(*size), format_size(least))};
}

// True in the first call by each thread.
bool is_new_thread() {
  [[gnu::tls_model("initial-exec")]] constinit static thread_local bool is_known = false;
  return !std::exchange(is_known, true);
}

Result<std::unique_ptr<remote::Route>> open_route(const RemoteClient::Setup& setup) {
  using Opened = std::unique_ptr<remote::Route>;
  if (setup.through_agent)
    return Opened(std::make_unique<remote::ThroughAgent>(setup.memory, setup.me));
  if (std::optional<Error> refusal = examine_stack(min_stack_to_open)) return *std::move(refusal);
  Result<std::unique_ptr<remote::OwnEndpoint>> route =
      remote::OwnEndpoint::open(setup.settings, setup.memory, setup.me);
  if (!route) return route.error();
  return Opened(*std::move(route));
}

}  // namespace

Result<std::unique_ptr<RemoteClient>> RemoteClient::open(const Setup& setup) {
  Result<std::unique_ptr<remote::Route>> route = open_route(setup);
  if (!route) return route.error();
  return std::unique_ptr<RemoteClient>(new RemoteClient(setup, *std::move(route)));
}

RemoteClient::RemoteClient(const Setup& setup, std::unique_ptr<remote::Route> route)
    : memory_(setup.memory),
      nodes_(setup.memory),
      eager_limit_(setup.through_agent
                       ? remote::max_write
                       : std::clamp(setup.eager_limit, sizeof(std::uint64_t), remote::max_write)),
      streams_({.route = *route,
                .memory = *setup.memory,
                .nodes = nodes_,
                .me = setup.me,
                .incarnation = setup.incarnation,
                .job_tag = setup.job_tag,
                .batch_limit = setup.batch_limit,
                .agent = setup.agent}),
      messages_(streams_, nodes_, memory_->roster().capacity()),
      arrivals_(streams_, messages_, memory_->plan(), setup.me),
      route_(std::move(route)) {}

Limits RemoteClient::limits() const {
  return {.messages_up_to = eager_limit_,
          .max_write = writes_messages_only() ? remote::max_write : route_->longest_transfer(),
          .packs_up_to = remote::max_write,
          .accumulates_up_to = remote::max_write,
          .longest_message = remote::longest_message,
          .passes_up_to = carries_messages_only() ? 0 : remote::longest_pass};
}

bool RemoteClient::progress() {
  if (++polls_ % polls_between_clocks == 0) streams_.check_for_losses();
  const bool delivered = arrivals_.queue().deliver();
  const bool polled = poll();
  return flush_open() || polled || delivered;
}

// Handles replies, which may allow the next batch to be sent.
bool RemoteClient::poll() {
  if (is_new_thread() && !carries_messages_only() && streams_.end() == nullptr) [[unlikely]] {
    if (const std::optional<Error> refusal = examine_stack(min_stack_to_poll)) {
      streams_.lose_all(*refusal);
      return false;
    }
  }
  const auto on_message = [this](Bytes bytes) { arrivals_.take(bytes); };
  const auto on_lost = [this](std::uint32_t node, const std::string& why) {
    streams_.lose(node, why);
  };
  const auto on_unreachable = [this](Rank rank, const std::string& why) {
    messages_.suspect(rank, why);
  };
  return route_->poll({on_message, on_lost, on_unreachable});
}

// Sends batches that have not grown since the last call, because then the rank waits.
bool RemoteClient::flush_open() {
  const bool sent = messages_.flush();
  return streams_.flush() || sent;
}

// Messages wait in this process until a connection is made. After the first reply they go to the
// kernel.
bool RemoteClient::departed() const {
  return messages_.have_departed() && route_->has_departed() && streams_.have_departed();
}

bool RemoteClient::may_sleep() {
  streams_.check_for_losses();
  return route_->may_sleep();
}

}  // namespace gondwana
