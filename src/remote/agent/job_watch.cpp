#include "remote/agent/job_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "memory/rank_report.hpp"
#include "memory/stillness.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t job_check_ns = 100'000'000;

std::uint32_t flags_of(const NodeReport& of) {
  return (of.is_still ? report::is_still : 0) | (of.any_leaves ? report::any_leaves : 0);
}

std::string shortened(std::string text, std::size_t most) {
  constexpr std::string_view cut = "...";
  if (text.size() <= most) return text;
  text.resize(most - cut.size());
  return text.append(cut);
}

// Empty if all ranks have left the job and none has ended yet.
std::string text_of(const NodeSnapshot& node, const std::string& host) {
  const std::string text = describe(node);
  return text.empty() ? text
                      : shortened(fmt::format("on host {} {}", host, text), report::longest_text);
}

Bytes bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

void declare_over(NodeHeader& header, const std::string& why) {
  if (header.is_over.load(std::memory_order_relaxed) != 0) return;
  const std::string text = shortened(why, header.why.size() - 1);
  std::ranges::copy(text, header.why.begin());
  header.is_over.store(1, std::memory_order_release);  // pairs with check_for_losses(), guardian
}

void JobWatch::check(std::uint64_t now_ns) {
  if (now_ns < next_check_ns_) return;
  next_check_ns_ = now_ns + job_check_ns;
  const NodeHeader& header = memory_.header();
  if (header.is_over.load(std::memory_order_relaxed) != 0) {
    send_alarms();
    return;
  }
  check_for_lost_ranks();
  if (header.ending.load(std::memory_order_relaxed) == 0) return;
  inquiry_.include(memory_.roster().nodes());
  if (inquiry_.is_due(now_ns)) inquiry_.begin(report_of_own(), now_ns);
  continue_inquiry(now_ns);
}

void JobWatch::check_for_lost_ranks() {
  const NodePlan& plan = memory_.plan();
  for (const Rank rank : plan.node_ranks()) {
    const std::optional<std::string> loss = find_loss(memory_.page(rank), index(rank));
    if (!loss) continue;
    declare_over(memory_.header(), *loss);
    alarm_ = shortened(*loss, report::longest_text);
    for (std::uint32_t node = 0; node < memory_.roster().nodes(); ++node)
      if (node != plan.node) to_alarm_.push_back(node);
    send_alarms();
    return;
  }
}

bool JobWatch::send_alarms() {
  std::erase_if(to_alarm_, [this](std::uint32_t node) {
    return outbox_.tell(node, {.kind = MessageKind::alarm}, bytes_of_text(alarm_));
  });
  return to_alarm_.empty();
}

NodeReport JobWatch::report_of_own() const {
  const NodeSnapshot node = snapshot_of(memory_);
  const std::optional<Stillness> stillness = find_stillness(node.part);
  return {.is_still = stillness.has_value(),
          .any_leaves = node.any_leaves(),
          .print = stillness.value_or(Stillness{}).print,
          .messages_in_flight = node.messages_in_flight,
          .text = stillness ? text_of(node, host_) : ""};
}

// Lost questions and reports need no retry, because a later round repeats them.
void JobWatch::continue_inquiry(std::uint64_t now_ns) {
  if (const auto node = inquiry_.next_to_ask(now_ns))
    if (!outbox_.tell(*node, {.kind = MessageKind::ask, .number = inquiry_.round()}))
      inquiry_.ask_again();
  if (inquiry_.diagnosis())
    declare_over(
        memory_.header(),
        shortened(*inquiry_.diagnosis(), NodeHeader::longest_reason / 2) + no_rank_can_continue());
}

void JobWatch::answer(const Control& ask) {
  const NodeReport own = report_of_own();
  outbox_.tell(node_of_agent(ask.from),
               {.kind = MessageKind::report,
                .number = ask.number,
                .flags = flags_of(own),
                .print = own.print,
                .in_flight = own.messages_in_flight},
               bytes_of_text(own.text));
}

void JobWatch::hear(const Control& received, Bytes text, std::uint64_t now_ns) {
  NodeReport of_node{.is_still = (received.flags & report::is_still) != 0,
                     .any_leaves = (received.flags & report::any_leaves) != 0,
                     .print = received.print,
                     .messages_in_flight = received.in_flight,
                     .text = {reinterpret_cast<const char*>(text.data()), text.size()}};
  const std::uint32_t node = node_of_agent(received.from);
  inquiry_.include(memory_.roster().nodes());
  if ((received.flags & report::is_gone) != 0)
    return inquiry_.hear_farewell(node, std::move(of_node));
  inquiry_.hear(node, received.number, std::move(of_node), now_ns);
  continue_inquiry(now_ns);
}

void JobWatch::tell_farewell() {
  const NodeSnapshot own = snapshot_of(memory_);
  const Control farewell{.kind = MessageKind::report,
                         .flags = report::is_still | report::any_leaves | report::is_gone,
                         .in_flight = own.messages_in_flight};
  const std::string text = text_of(own, host_);
  for (std::uint32_t node = 0; node < memory_.roster().nodes(); ++node)
    if (outbox_.has_met_agent(node)) outbox_.tell(node, farewell, bytes_of_text(text));
}

}  // namespace gondwana::remote
