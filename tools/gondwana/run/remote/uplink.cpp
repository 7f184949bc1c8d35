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

}  // namespace

Uplink::Uplink(Poller& poller, const Job& job)
    : job_(job),
      link_(poller, duplicate(STDIN_FILENO), duplicate(STDOUT_FILENO), job.share.tag),
      output_(link_, job.streams.prompts) {}

Result<void> Uplink::start(Orders orders) {
  orders_ = std::move(orders);
  Result<void> started = link_.start(
      [this](Frame& frame, std::uint64_t now) { on_frame(frame, now); },
      [this](const std::string& why) { lose(why.empty() ? "the launcher is gone" : why); });
  if (started) tell(Hello{});
  return started;
}

void Uplink::on_frame(Frame& frame, std::uint64_t now) {
  if (const auto* ping = std::get_if<Ping>(&frame)) return tell(Pong{ping->sent_ns, now});
  if (const auto* end = std::get_if<End>(&frame)) return orders_.on_end(*end);
  if (const auto* signal = std::get_if<Signal>(&frame))
    return orders_.on_signal(static_cast<int>(signal->number));
  if (const auto* left = std::get_if<Left>(&frame)) return orders_.on_left(left->rank);
  if (const auto* input = std::get_if<Input>(&frame)) return orders_.on_input(input->text);
  if (const auto* taken = std::get_if<Taken>(&frame)) return output_.on_taken(taken->bytes);
  const auto is_of_job = [this](const NodeRow& row) { return row.node < job_.share.nodes; };
  auto* update = std::get_if<NodeRows>(&frame);
  if (update != nullptr && std::ranges::all_of(update->rows, is_of_job))
    return orders_.on_rows(std::move(update->rows));
  lose("the launcher sent what it never sends");
}

void Uplink::lose(const std::string& sentence) {
  link_.close();
  orders_.on_lost(sentence);
}

void Uplink::step(std::uint64_t now) {
  const std::optional<std::uint64_t> limit = next_ns();
  if (limit && now >= *limit && !link_.has_unread())
    lose(fmt::format("the launcher has said nothing for {} s", job_.share.peer_timeout_s));
}

std::optional<std::uint64_t> Uplink::next_ns() const {
  if (!link_.is_open() || job_.share.peer_timeout_s == 0) return std::nullopt;
  return link_.heard_ns() + std::uint64_t{job_.share.peer_timeout_s} * 1'000'000'000;
}

}  // namespace gondwana::launch
