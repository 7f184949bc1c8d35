// The end of a simulated host: what is left of it, and what it says.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "memory/rank_report.hpp"
#include "simulation/node.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

void Node::finish() {
  check_left();
  say_at_end();
  const int status = decisions_.end().outcome().of_job();
  world_.log([&] { return fmt::format("host {}: has ended with {}", name(), status); });
  over_ = true;
  loop_.end();
  if (uplink_.up == nullptr) return world_.end(status);
  tell(Ended{static_cast<std::uint32_t>(status)});
  link_open_ = false;
  uplink_.down->abandon();
  uplink_.up->close();
  uplink_.on_end(status << 8);
}

// As the guardian, which says it after its decisions.
void Node::say_at_end() {
  const std::string left = "processes that cannot be killed are left";
  const bool any_left =
      std::ranges::any_of(processes_, [](const auto& process) { return !process->is_reaped(); });
  if (any_left) world_.allow(left);
  const std::string absence = judge_absence();
  if (!absence.empty()) world_.allow(absence);
  if (output_failure_ == ENOSPC) demand(output_lost);
  if (decisions_.end().ending().state() == Ending::State::given_up) say(left);
  if (const std::string absent = decisions_.describe_absent(); !absent.empty()) say(absent);
  if (any_left) demand(left);
  if (!absence.empty()) demand(absence);
}

// If the job has not failed: how the sentence begins about ranks that have ended before they
// joined. Those that end with the job may be left out.
std::string Node::judge_absence() const {
  if (decisions_.end().outcome().status) return {};
  const std::vector<std::uint32_t> named = decisions_.ranks().silent();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::uint32_t global = decisions_.ranks().global(rank);
    const bool is_named = std::ranges::find(named, global) != named.end();
    if (is_named && !ranks_[rank]->has_vanished())
      world_.fail(fmt::format("rank {} counts as absent, and is not", global));
    if (!is_named && ranks_[rank]->must_be_missed())
      world_.fail(fmt::format("rank {} has ended before it joined, and is not missed", global));
  }
  if (named.empty()) return {};
  return fmt::format("rank{} {} ended without a call of", named.size() == 1 ? "" : "s",
                     format_ranks(named));
}

// The user must have been told it by the time that all sent until now has arrived.
void Node::demand(const std::string& begins) {
  if (uplink_.up == nullptr) return world_.demand(begins);
  if (link_open_) uplink_.up->mark([&world = world_, begins] { world.demand(begins); });
}

// Nothing of the job is left, and it took no longer than it may.
void Node::check_left() {
  const bool given_up = decisions_.end().ending().state() == Ending::State::given_up;
  for (const auto& process : processes_)
    if (!process->is_reaped() && !(given_up && process->was_unkillable() && process->was_told()))
      world_.fail(fmt::format("host {} ends, and {} (pid {}) is left", name(), process->name(),
                              process->pid()));
  if (!end_by_) return;
  const Time end_by = *end_by_ + paused_ns_ - paused_before_end_ns_;
  if (world_.now() > end_by)
    world_.fail(fmt::format("host {} ends {:.1f} s too late", name(),
                            static_cast<double>(world_.now() - end_by) * 1e-9));
}

void Node::say(const std::string& sentence) {
  if (uplink_.up == nullptr) return world_.say(sentence);
  tell(launch::Said{sentence});
}

}  // namespace gondwana::simulation
