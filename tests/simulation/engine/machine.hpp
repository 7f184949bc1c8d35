// The machine that a simulated job runs on: one processor, a virtual clock, futexes and
// descriptors.
//
// Each rank and each agent is a task. One task runs at a time. A task may lose the processor at
// each system call that the engine makes to wait, to wake, to yield or to read the clock, and at
// each call of the simulated network; in some parts of the engine, in each basic block. Then the
// seed decides which task goes on. The clock advances a little at each of these steps, and jumps
// when all tasks sleep.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulation/engine/fiber.hpp"
#include "simulation/random.hpp"

namespace gondwana::simulation {

using Nanoseconds = std::uint64_t;

class Machine {
 public:
  // `is_told`: prints each event.
  Machine(std::uint64_t seed, bool is_told);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  // The machine that runs now; null: none. System calls have no other way to find it.
  static Machine* present();

  void add_task(const std::string& name, std::function<void()> body);
  // Returns when all tasks have ended.
  void run();

  // For the task that runs.
  void step();
  // Some of the calls are a step.
  void preempt() {
    if (--blocks_left_ == 0) preempt_now();
  }
  void yield();
  void sleep(Nanoseconds length);
  // Sleeps while `word` holds `value`, until wake() or the timeout.
  void wait_on(const std::uint32_t* word, std::uint32_t value, std::optional<Nanoseconds> limit);
  void wake(const std::uint32_t* word);
  // Sleeps until the condition holds or the time has passed. The condition must not call back.
  void wait_until(const std::function<bool()>& holds, std::optional<Nanoseconds> limit);
  bool is_in_task() const { return current_ != nullptr; }

  Nanoseconds now() const { return now_; }
  // Calls `action` at that time, or later, between two steps.
  void at(Nanoseconds time, std::function<void()> action);
  // For decisions of the network.
  Random& random() { return random_; }

  // Adds an event to the history, which is the same for the same seed.
  void note(const std::string& event);
  std::uint64_t history() const { return history_; }
  std::uint64_t steps() const { return steps_; }
  // Called if the job fails, to say what its ranks wait for.
  void describe_by(std::function<std::string()> describe) { describe_ = std::move(describe); }
  // Ends the process: prints the reason, the last events and the state of each task.
  [[noreturn]] void fail(const std::string& why);

 private:
  struct Task {
    std::string name;
    std::unique_ptr<Fiber> fiber;
    const std::uint32_t* word = nullptr;       // sleeps on this futex
    const std::function<bool()>* condition{};  // sleeps until it holds
    std::optional<Nanoseconds> until;          // the end of its sleep
    Nanoseconds held_until = 0;                // the system runs other processes until then
    bool is_asleep = false;
  };

  bool may_run(Task& task);
  void fire_timers();
  Task* choose();
  bool jump();
  void give_up_processor();
  void preempt_now();
  void sleep_now(std::optional<Nanoseconds> limit);
  std::string describe(const Task& task) const;

  std::uint64_t seed_;
  bool is_told_;
  Random random_;
  // The manner of this job.
  std::uint64_t switch_one_in_;
  std::uint64_t hold_one_in_;
  Nanoseconds longest_hold_;
  std::uint64_t most_blocks_;  // between two steps
  Nanoseconds step_cost_;
  Nanoseconds yield_cost_;
  Nanoseconds now_;
  Nanoseconds deadline_;
  std::uint64_t steps_ = 0;
  std::uint64_t blocks_left_ = 1;
  std::uint64_t history_;
  std::deque<std::string> last_;  // events
  std::vector<std::unique_ptr<Task>> tasks_;
  std::multimap<Nanoseconds, std::function<void()>> timers_;
  Task* current_ = nullptr;
  std::function<std::string()> describe_;
};

}  // namespace gondwana::simulation
