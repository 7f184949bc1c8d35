#include "run/remote/uplink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/machine.hpp"

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
      output_(link_, job.streams.prompts),
      exchange_(link_) {}

Result<void> Uplink::start(Orders orders) {
  orders_ = std::move(orders);
  Result<void> started = link_.start(
      [this](Frame& frame) { on_frame(frame); },
      [this](const std::string& why) { lose(why.empty() ? "the launcher is gone" : why); });
  if (started) tell(Hello{});
  return started;
}

void Uplink::on_frame(Frame& frame) {
  if (const auto* ping = std::get_if<Ping>(&frame))
    return tell(Pong{ping->sent_ns, monotonic_ns()});
  if (const auto* end = std::get_if<End>(&frame)) return orders_.on_end(*end);
  if (const auto* signal = std::get_if<Signal>(&frame))
    return orders_.on_signal(static_cast<int>(signal->number));
  if (const auto* left = std::get_if<Left>(&frame)) return orders_.on_left(left->rank);
  if (const auto* input = std::get_if<Input>(&frame)) return orders_.on_input(input->text);
  if (const auto* taken = std::get_if<Taken>(&frame)) return output_.on_taken(taken->bytes);
  auto* infos = std::get_if<AllNodes>(&frame);
  if (infos != nullptr && infos->infos.size() == job_.share.nodes)
    return exchange_.receive(std::move(infos->infos));
  lose("the launcher sent what it never sends");
}

void Uplink::lose(const std::string& sentence) {
  link_.close();
  orders_.on_lost(sentence);
}

void Uplink::step() {
  const std::optional<std::uint64_t> limit = next_ns();
  if (limit && monotonic_ns() >= *limit && !link_.has_unread())
    lose(fmt::format("the launcher has said nothing for {} s", job_.share.peer_timeout_s));
}

std::optional<std::uint64_t> Uplink::next_ns() const {
  if (!link_.is_open() || job_.share.peer_timeout_s == 0) return std::nullopt;
  return link_.heard_ns() + std::uint64_t{job_.share.peer_timeout_s} * 1'000'000'000;
}

}  // namespace gondwana::launch
