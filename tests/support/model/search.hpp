// The search of Scenario::explore(): depth first over all states that a scenario can reach.
#pragma once

#include <unordered_set>

#include "support/model/memory.hpp"
#include "support/model/scenario.hpp"
#include "support/model/story.hpp"

namespace gondwana::model {

enum class Status : std::uint8_t { not_started, running, asleep, finished };

struct ThreadState {
  NodeId node;
  Status status;
  std::uint8_t early_wakes;  // that it may still have
  std::uint16_t unused;
};

struct State {
  Memory memory;
  std::array<ThreadState, max_threads> threads;
  std::uint8_t preemptions;  // that are left, or Limits::unlimited
  std::uint8_t behind;
  std::uint8_t last;  // the thread that ran last; 0 where preemptions are unlimited
};

class Search {
 public:
  // Threads 0 to workers - 1 of the program start at once; any later thread starts when they end.
  Search(Program& program, std::uint8_t workers, const Limits& limits)
      : program_(program), workers_(workers), limits_(limits) {}

  Outcome run();

 private:
  struct Reached {
    State state;
    Step step;
    std::size_t depth;
  };

  State initial();
  void expand(const State& state, std::uint8_t last);
  void switch_to(const State& state, std::uint8_t thread, std::uint8_t last);
  void advance(const State& state, std::uint8_t thread);
  void access(const State& state, std::uint8_t thread, const Operation& operation);
  void fence(const State& state, std::uint8_t thread, const Operation& operation);
  void touch_data(const State& state, std::uint8_t thread, const Operation& operation);
  void sleep(const State& state, std::uint8_t thread, const Operation& operation);
  void wake_sleepers(const State& state, std::uint8_t thread, const Operation& operation);
  void go_on_with_news(const State& state, std::uint8_t thread, Step::How how);
  void wake_early(const State& state, std::uint8_t thread);

  // The thread's operation returned `step.result`.
  void complete(State& next, const Step& step);
  void enter(State& state, std::uint8_t thread, NodeId node);
  void reach(State& next, const Step& step);
  void fail(const Step& step, std::string failure);
  void fail(std::string failure);
  bool can_go_on(const State& state, std::uint8_t thread) const;
  bool workers_finished(const State& state) const;
  std::string stuck(const State& state) const;

  Program& program_;
  std::uint8_t workers_;
  Limits limits_;
  std::vector<Reached> open_;
  std::vector<Step> path_;
  std::unordered_set<std::uint64_t> known_;  // 64-bit fingerprints: a collision is not a worry
  bool moved_ = false;  // the state being expanded can go on without an early wake
  Outcome outcome_;
};

}  // namespace gondwana::model
