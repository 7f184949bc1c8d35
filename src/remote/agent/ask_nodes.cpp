// How node agents notice that ranks are lost, and that all ranks of the job wait for ever.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/machine.hpp"
#include "memory/rank_report.hpp"
#include "memory/stillness.hpp"
#include "remote/agent/implementation.hpp"

namespace gondwana {
namespace {

namespace report = remote::report;
using network::Peer;
using remote::Control;
using remote::MessageKind;
using remote::NodeReport;

constexpr std::uint64_t between_looks_ns = 100'000'000;

std::uint32_t flags_of(const NodeReport& of) {
  return (of.is_still ? report::is_still : 0) | (of.any_leaves ? report::any_leaves : 0);
}

std::string shortened(std::string text, std::size_t most) {
  constexpr std::string_view cut = "...";
  if (text.size() <= most) return text;
  text.resize(most - cut.size());
  return text.append(cut);
}

// Empty where all ranks have left the job and none has ended yet.
std::string text_of(const NodeLook& look, const char* host) {
  const std::string text = describe(look);
  return text.empty() ? text
                      : shortened(fmt::format("on host {} {}", host, text), report::longest_text);
}

}  // namespace

void NodeAgent::Implementation::look_at_ranks() {
  const std::uint64_t now = monotonic_ns();
  if (now < next_look_ns_) return;
  next_look_ns_ = now + between_looks_ns;
  const NodeHeader& header = memory_->header();
  if (header.is_over.load(std::memory_order_relaxed) != 0) return send_alarms();
  look_for_lost_ranks();
  if (header.ending.load(std::memory_order_relaxed) == 0) return;
  if (inquiry_.is_due(now)) begin_round();
  go_on_asking();
}

// Finds a rank whose process has ended or runs another program while it is part of the job.
void NodeAgent::Implementation::look_for_lost_ranks() {
  const NodePlan& plan = memory_->plan();
  for (const Rank rank : plan.node_ranks()) {
    const std::optional<std::string> loss = find_loss(memory_->page(rank), index(rank));
    if (!loss) continue;
    declare_over(*loss);
    alarm_ = shortened(*loss, report::longest_text);
    for (std::uint32_t node = 0; node < memory_->roster().nodes(); ++node)
      if (node != plan.node) to_alarm_.push_back(node);
    return send_alarms();
  }
}

// Sends the alarm to the nodes that have not got it. A connection may have to be made first.
void NodeAgent::Implementation::send_alarms() {
  std::erase_if(to_alarm_, [this](std::uint32_t node) {
    return tell(node, {.kind = MessageKind::alarm}, alarm_);
  });
}

// Tells the processes of this node that can end the job.
void NodeAgent::Implementation::declare_over(const std::string& why) {
  NodeHeader& header = memory_->header();
  if (header.is_over.load(std::memory_order_relaxed) != 0) return;
  const std::string text = shortened(why, header.why.size() - 1);
  std::ranges::copy(text, header.why.begin());
  header.is_over.store(1, std::memory_order_release);  // pairs with look_for_losses(), guardian
}

NodeReport NodeAgent::Implementation::report_of_own() const {
  const NodeLook look = look_at_node(*memory_);
  const std::optional<Stillness> stillness = find_stillness(look.part);
  return {.is_still = stillness.has_value(),
          .any_leaves = look.any_leaves(),
          .print = stillness.value_or(Stillness{}).print,
          .messages_in_flight = look.messages_in_flight,
          .text = stillness ? text_of(look, contact_.info().host.data()) : ""};
}

void NodeAgent::Implementation::begin_round() {
  inquiry_.begin(report_of_own(), monotonic_ns());
}

void NodeAgent::Implementation::go_on_asking() {
  if (const auto node = inquiry_.next_to_ask(monotonic_ns()); node && !ask(*node))
    inquiry_.ask_again();
  if (inquiry_.diagnosis())
    declare_over(shortened(*inquiry_.diagnosis(), NodeHeader::longest_reason / 2) +
                 nobody_can_go_on());
}

bool NodeAgent::Implementation::ask(std::uint32_t node) {
  return tell(node, {.kind = MessageKind::ask, .number = inquiry_.round()}, "");
}

void NodeAgent::Implementation::answer_ask(const Control& ask) {
  const NodeReport own = report_of_own();
  tell(remote::node_of_agent(ask.from),
       {.kind = MessageKind::report,
        .number = ask.number,
        .flags = flags_of(own),
        .print = own.print,
        .in_flight = own.messages_in_flight},
       own.text);
}

void NodeAgent::Implementation::hear_report(const Control& control, Bytes text) {
  NodeReport report{.is_still = (control.flags & report::is_still) != 0,
                    .any_leaves = (control.flags & report::any_leaves) != 0,
                    .print = control.print,
                    .messages_in_flight = control.in_flight,
                    .text = {reinterpret_cast<const char*>(text.data()), text.size()}};
  const std::uint32_t node = remote::node_of_agent(control.from);
  if ((control.flags & report::is_gone) != 0)
    return inquiry_.hear_farewell(node, std::move(report));
  inquiry_.hear(node, control.number, std::move(report), monotonic_ns());
  go_on_asking();
}

// Tells the agents that this one has communicated with that it answers no more.
void NodeAgent::Implementation::tell_farewell() {
  const NodeLook look = look_at_node(*memory_);
  constexpr std::uint32_t flags = report::is_still | report::any_leaves | report::is_gone;
  const Control farewell{
      .kind = MessageKind::report, .flags = flags, .in_flight = look.messages_in_flight};
  const std::string text = text_of(look, contact_.info().host.data());
  for (std::uint32_t node = 0; node < memory_->roster().nodes(); ++node) {
    const bool has_greeted = clients_.contains(remote::agent_number(node));
    if (has_greeted || others_.contains(node)) tell(node, farewell, text);
  }
}

// Sends a message to another agent. False: there is no connection yet, or no room. A later round
// asks again for what was lost.
bool NodeAgent::Implementation::tell(std::uint32_t node, Control control, const std::string& text) {
  if (node == memory_->plan().node || node >= memory_->roster().nodes()) return true;
  const Result<Peer> peer = peer_of(node);
  if (!peer) return true;
  control.tag = tag_;
  control.from = remote::agent_number(memory_->plan().node);
  control.size = text.size();
  SendBuffer& buffer = take_buffer(remote::agent_number(node), sizeof(control) + text.size());
  remote::write(buffer.bytes.data(), control);
  std::ranges::copy(std::as_bytes(std::span(text)), buffer.bytes.data() + sizeof(control));
  const Result<Posted> sent = send(*peer, buffer);
  return !sent || *sent == Posted::accepted;
}

}  // namespace gondwana
