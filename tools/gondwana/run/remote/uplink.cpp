#include "run/remote/uplink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace gondwana::launch {
namespace {

// The copy is closed with the link; descriptors 0 and 1 stay occupied.
UniqueFd duplicate(int fd) {
  return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

bool is_order(const Frame& frame, const Share& share) {
  if (const auto* update = std::get_if<NodeRows>(&frame))
    return std::ranges::all_of(
        update->rows, [&](const NodeRow& row) { return row.node < share.node_capacity(); });
  if (const auto* dead = std::get_if<DeadRanks>(&frame))
    return (dead->lost_node == DeadRanks::no_node || dead->lost_node < share.node_capacity()) &&
           std::ranges::all_of(dead->ranks, [&](const RankDeath& one) {
             return one.process.rank < share.capacity();
           });
  if (const auto* runs = std::get_if<RankRuns>(&frame))
    return runs->process.rank < share.capacity() && runs->node < share.node_capacity();
  if (const auto* grown = std::get_if<Grown>(&frame))
    return grown->ranks <= share.capacity() && grown->nodes <= share.node_capacity();
  if (const auto* arrived = std::get_if<Arrived>(&frame)) return arrived->rank < share.capacity();
  return std::holds_alternative<End>(frame) || std::holds_alternative<Signal>(frame) ||
         std::holds_alternative<Left>(frame) || std::holds_alternative<Input>(frame) ||
         std::holds_alternative<Shrunk>(frame) || std::holds_alternative<Answer>(frame) ||
         std::holds_alternative<Dismissed>(frame) || std::holds_alternative<AllEnded>(frame) ||
         std::holds_alternative<WorldDecision>(frame);
}

}  // namespace

Uplink::Uplink(Poller& poller, const Job& job)
    : job_(job),
      link_(poller, duplicate(STDIN_FILENO), duplicate(STDOUT_FILENO), job.share.tag),
      output_(link_, job.streams.prompts) {}

Result<void> Uplink::start(OnOrder on_order, OnLost on_lost) {
  on_order_ = std::move(on_order);
  on_lost_ = std::move(on_lost);
  Result<void> started = link_.start(
      [this](Frame& frame, std::uint64_t now) { on_frame(frame, now); },
      [this](const std::string& why) { lose(why.empty() ? "the launcher is gone" : why); });
  if (started) tell(Hello{});
  return started;
}

void Uplink::on_frame(Frame& frame, std::uint64_t now) {
  if (const auto* ping = std::get_if<Ping>(&frame)) return tell(Pong{ping->sent_ns, now});
  if (const auto* taken = std::get_if<Taken>(&frame)) return output_.on_taken(taken->bytes);
  if (is_order(frame, job_.share)) return on_order_(frame);
  lose("the launcher sent an unexpected message");
}

void Uplink::lose(const std::string& sentence) {
  link_.close();
  on_lost_(sentence);
}

void Uplink::step(std::uint64_t now) {
  const std::optional<std::uint64_t> limit = next_ns();
  if (limit && now >= *limit && !link_.has_unread())
    lose(fmt::format("the launcher was silent for {} s", job_.share.peer_timeout_s));
}

std::optional<std::uint64_t> Uplink::next_ns() const {
  if (!link_.is_open() || job_.share.peer_timeout_s == 0) return std::nullopt;
  return link_.heard_ns() + std::uint64_t{job_.share.peer_timeout_s} * 1'000'000'000;
}

}  // namespace gondwana::launch
