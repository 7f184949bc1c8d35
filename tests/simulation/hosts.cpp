#include "simulation/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <type_traits>
#include <variant>

#include "simulation/plan.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

namespace {

constexpr Time end_ns = 100 * second;  // no job takes longer
constexpr Time tick_ns = 50 * ms;

Frame copy_of(const Frame& frame) {
  FrameParser parser(tag_of_job);
  parser.add(encode(frame, tag_of_job));
  return **parser.next();
}

template <typename T, typename Variant>
constexpr bool is_one_of = false;
template <typename T, typename... Types>
constexpr bool is_one_of<T, std::variant<Types...>> = (std::same_as<T, Types> || ...);

// The frame that tells the conductor of the action, if there is one.
std::optional<Frame> frame_of(const NodeAction& action) {
  return std::visit(
      [](const auto& it) -> std::optional<Frame> {
        using It = std::remove_cvref_t<decltype(it)>;
        if constexpr (is_one_of<It, Frame> && !std::same_as<It, Said>) return it;
        return std::nullopt;
      },
      action);
}

}  // namespace

std::string HostNode::name() const {
  return name_of_host(number);
}

Hosts::Hosts(std::uint64_t seed, std::uint64_t stream, bool logs)
    : random_(seed, stream), schedule_(seed + stream), logs_(logs) {
  latency_ = random_.one_in(3) ? 30 * ms : ms;
}

PartReport Hosts::run() {
  start();
  while (report_.wrong.empty() && schedule_.now() < Schedule::beginning + end_ns)
    if (!schedule_.run_next()) break;
  if (report_.wrong.empty()) judge_end();
  report_.time = schedule_.now() - Schedule::beginning;
  return std::move(report_);
}

void Hosts::add(HostNode& node) {
  nodes_.push_back(&node);
  all_.push_back(&node);
}

void Hosts::begin_conductor(const Job& job, const std::vector<Job>& parts) {
  conductor_.emplace(job, parts, schedule_.now());
}

void Hosts::start_connection(HostNode& node) {
  handle(HostStarted{node.number,
                     {.name = node.name(),
                      .way = "ssh",
                      .by_ssh = true,
                      .peer_timeout_s = peer_timeout_s,
                      .start_limit_s = 2 * peer_timeout_s}});
}

// Guardians.

void Hosts::handle(HostNode& node, const NodeEvent& event) {
  if (node.is_over || !node.guardian) return;
  const bool was_idle = node.is_idle();
  const NodeActions actions = node.guardian->handle(event, schedule_.now());
  if (was_idle && !node.is_idle()) {
    log([&] { return fmt::format("host {} ends", node.name()); });
    on_end_begins(node);
  }
  for (const NodeAction& action : actions) perform_any(node, action);
}

void Hosts::perform_any(HostNode& node, const NodeAction& action) {
  if (const std::optional<Frame> frame = frame_of(action)) return tell_conductor(node, *frame);
  if (const auto* said = std::get_if<Said>(&action))
    return log([&] { return fmt::format("host {}: {}", node.name(), said->sentence); });
  if (std::holds_alternative<LookAtRanks>(action)) return handle(node, look(node));
  if (std::holds_alternative<SignalAll>(action)) return kill_ranks(node);
  if (std::holds_alternative<NeedAgent>(action) && !std::exchange(node.has_agent, true))
    schedule_.after(random_.skewed(30 * ms), [this, &node] {
      if (node.has_agent) tell_conductor(node, ThisNode{contact_of(node)});
    });
  perform(node, action);
}

void Hosts::tick(HostNode& node) {
  if (node.is_over || !node.guardian || schedule_.now() >= node.silent_at) return;
  handle(node, Tick{});
  const std::uint32_t living = count_living(node);
  if (!node.is_idle()) handle(node, DescendantsSeen{living != 0, living, {}});
  if (node.guardian->end().ending().is_over()) finish(node);
}

void Hosts::finish(HostNode& node) {
  const int status = node.guardian->end().outcome().of_job();
  ends_ = ends_ || (!conductor_ && status != 0);
  tell_conductor(node, Ended{static_cast<std::uint32_t>(status)});
  node.is_over = true;
}

void Hosts::tick_all() {
  for (HostNode* node : std::vector(all_)) tick(*node);
  if (conductor_ && !conductor_->is_over() && !launcher_is_dead_) handle(Tick{});
  if (!is_over()) schedule_.after(tick_ns, [this] { tick_all(); });
}

bool Hosts::is_over() const {
  const auto is_left = [](const HostNode* node) { return node->guardian && !node->is_over; };
  return std::ranges::none_of(all_, is_left) &&
         (!conductor_ || conductor_->is_over() || launcher_is_dead_);
}

// The conductor.

void Hosts::handle(const HostsEvent& event) {
  if (launcher_is_dead_) return;
  for (const HostsAction& action : conductor_->handle(event, schedule_.now())) perform(action);
}

void Hosts::perform(const HostsAction& action) {
  if (const auto* send = std::get_if<Send>(&action)) {
    ends_ = ends_ || std::holds_alternative<End>(send->frame);
    on_sent(*send);
    for (const std::uint32_t node : send->to) tell_node(*nodes_[node], send->frame);
  }
  if (const auto* look = std::get_if<LookAtHost>(&action))
    handle(HostSeen{look->node, std::min(schedule_.now(), nodes_[look->node]->silent_at), false});
  if (const auto* closed = std::get_if<CloseHost>(&action)) close(*nodes_[closed->node]);
  if (const auto* start = std::get_if<StartHosts>(&action)) add_hosts(*start);
  if (const auto* drop = std::get_if<DropHosts>(&action)) nodes_.resize(drop->first);
  if (const auto* said = std::get_if<Said>(&action))
    log([&] { return "conductor: " + said->sentence; });
}

bool Hosts::is_of_job(const HostNode& node) const {
  return node.number < nodes_.size() && nodes_[node.number] == &node;
}

// Frames arrive in order.
void Hosts::tell_later(Time& last, std::function<void()> what) {
  last = std::max(last + 1, schedule_.now() + 10 * us + latency());
  schedule_.at(last, std::move(what));
}

void Hosts::tell_conductor(HostNode& node, const Frame& frame) {
  if (!conductor_ || node.is_over || schedule_.now() >= node.silent_at) return;
  tell_later(node.to_conductor, [this, &node, copy = copy_of(frame)] {
    if (!node.is_linked || !is_of_job(node) || conductor_->is_over(node.number)) return;
    on_heard(node, copy);
    handle(HostSaid{node.number, copy});
  });
}

void Hosts::tell_node(HostNode& node, const Frame& frame) {
  tell_later(node.to_node, [this, &node, copy = copy_of(frame)] {
    if (node.is_linked && schedule_.now() < node.silent_at) obey(node, copy);
  });
}

// A host that has not ended notices the end of the connection.
void Hosts::close(HostNode& node) {
  if (!std::exchange(node.is_linked, false)) return;
  schedule_.after(latency(), [this, &node] { handle(node, LauncherLost{"the launcher is gone"}); });
}

// Faults.

void Hosts::kill_agent(HostNode& node) {
  if (!node.has_agent || node.is_over) return;
  log([&] { return fmt::format("the agent of host {} dies", node.name()); });
  node.has_agent = node.is_well = false;
  expect_ranks_told(node);
  schedule_.after(random_.skewed(20 * ms), [this, &node] {
    handle(node, AgentLost{.pid = 7, .wait_status = SIGKILL, .pause_ns = second});
  });
}

void Hosts::kill_guardian(HostNode& node) {
  if (node.is_over) return;
  log([&] { return fmt::format("the guardian of host {} dies", node.name()); });
  power_off(node);
  tell_later(node.to_conductor, [this, &node] { tell_loss(node); });
}

void Hosts::tell_loss(HostNode& node) {
  if (!is_of_job(node) || conductor_->is_over(node.number)) return;
  handle(HostPipeEnded{node.number, "", 3 * second});
  handle(HostProcessEnded{node.number, SIGKILL, 3 * second});
}

// The conductor notices its silence.
void Hosts::power_off(HostNode& node) {
  if (node.is_over) return;
  log([&] { return fmt::format("host {} is gone", node.name()); });
  node.is_well = false;
  kill_ranks(node);
  node.silent_at = schedule_.now();
  node.is_over = true;
}

// The connection to the conductor ends, and the remote launcher ends its ranks.
void Hosts::cut(HostNode& node) {
  if (node.is_over || !node.is_linked) return;
  log([&] { return fmt::format("the connection to host {} ends", node.name()); });
  node.is_well = false;
  expect_ranks_told(node);
  close(node);
  schedule_.after(latency(), [this, &node] { tell_loss(node); });
}

void Hosts::kill_launcher() {
  if (launcher_is_dead_) return;
  log([] { return "the launcher dies"; });
  launcher_is_dead_ = true;
  if (!conductor_) return handle(*nodes_.front(), LauncherLost{"the launcher is gone"});
  for (HostNode* node : nodes_) close(*node);
}

void Hosts::fail(const std::string& wrong) {
  if (!report_.wrong.empty()) return;
  log([&] { return "WRONG: " + wrong; });
  report_.wrong = wrong;
}

}  // namespace gondwana::simulation
