// A guardian's decisions and the events that a test makes up for them, without a process, a socket
// or a clock.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/node/job_on_node.hpp"
#include "support/job_parts.hpp"

namespace gondwana::launch::test {

inline Job job_of(std::uint32_t ranks, std::uint32_t nodes) {
  Job job;
  job.programs.emplace_back().ranks = ranks;
  job.share = {.node = 0, .nodes = nodes, .first = 0, .total = ranks * nodes, .tag = nodes - 1};
  return job;
}

// A node and its time. Actions are kept until the test takes them.
class Node {
 public:
  explicit Node(std::uint32_t ranks, std::uint32_t nodes = 1,
                std::optional<std::chrono::milliseconds> timeout = {},
                OnDeath on_death = OnDeath::end, std::optional<std::uint32_t> max_ranks = {})
      : job_(job_of(ranks, nodes)) {
    job_.max_ranks = max_ranks;
    job_.timeout = timeout;
    job_.on_death = on_death;
    begin();
  }

  // A job whose ranks are started again.
  Node(std::uint32_t ranks, const RestartWish& restart, std::uint32_t nodes = 1)
      : job_(job_of(ranks, nodes)) {
    job_.on_death = OnDeath::go_on;
    job_.restart = restart;
    begin();
  }

  void tell(const NodeEvent& event) {
    for (NodeAction& action : decides_->handle(event, now_)) done_.push_back(std::move(action));
  }
  // Its ranks have not been started yet.
  void begin_without_ranks() { decides_.emplace(job_, "h", now_); }
  void let_pass(std::uint64_t time) { now_ += time; }
  void start_all() {
    for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank)
      tell(RankStarted{rank, static_cast<pid_t>(100 + rank)});
  }
  void join_all() {
    for (std::uint32_t rank = 0; rank < decides_->ranks().size(); ++rank)
      tell(RankJoined{rank, static_cast<pid_t>(100 + rank)});
    done_.clear();
  }
  void end(std::uint32_t rank, int wait_status, RankState state = RankState::running) {
    tell(RankEnded{rank, wait_status, {state, "in shmem_quiet, waiting for 1.0 s"}});
  }
  // All ranks ran, and the others can continue.
  void lose(std::uint32_t rank, int wait_status) {
    const Remains remains{RankState::running, "in shmem_quiet, waiting for 1.0 s"};
    tell(RankEnded{rank, wait_status, remains, OomWatch::Finding::nothing, true});
  }
  // One iteration of the guardian.
  void round(std::uint64_t later = 0, const DescendantsSeen& seen = {true, 1, {}}) {
    now_ += later;
    tell(Tick{});
    if (!decides_->end().is_idle()) tell(seen);
  }

  template <typename Action>
  std::vector<Action> take() {
    std::vector<Action> taken;
    for (const NodeAction& action : done_)
      if (const auto* it = std::get_if<Action>(&action)) taken.push_back(*it);
    std::erase_if(done_, [](const NodeAction& one) { return std::holds_alternative<Action>(one); });
    return taken;
  }
  // The signals to all processes since the last call.
  std::vector<int> signals() {
    std::vector<int> numbers;
    for (const SignalAll& signal : take<SignalAll>()) numbers.push_back(signal.number);
    return numbers;
  }
  std::string said() {
    std::string text;
    for (const Said& said : take<Said>()) text += said.sentence + "\n";
    return text;
  }
  bool does_nothing() const { return done_.empty(); }

  const NodeEnd& is() const { return decides_->end(); }
  std::optional<int> status() const { return is().outcome().status; }
  const JobOnNode& decisions() const { return *decides_; }
  // The time until something is due; nothing: it waits only for events.
  std::optional<std::uint64_t> due_in() const {
    const auto next = decides_->next_ns();
    return next ? std::optional(*next > now_ ? *next - now_ : 0) : std::nullopt;
  }

 private:
  void begin() {
    begin_without_ranks();
    start_all();
  }

  Job job_;
  std::uint64_t now_ = 1000 * second;
  std::optional<JobOnNode> decides_;
  NodeActions done_;
};

}  // namespace gondwana::launch::test
