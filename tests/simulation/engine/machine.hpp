// The machine that a simulated job runs on: one processor, a virtual clock, futexes and
// descriptors.
//
// Each rank and each agent is a task. One task runs at a time. A task may lose the processor at
// each system call that the engine makes to wait, to wake, to yield or to read the clock, and at
// each call of the simulated network; in some parts of the engine, in each basic block. Then the
// seed decides which task goes on. The clock advances a little at each of these steps, and jumps
// when all tasks sleep.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulation/engine/events.hpp"
#include "simulation/engine/fiber.hpp"
#include "simulation/random.hpp"

namespace gondwana::simulation {

class Machine {
 public:
  // `schedule`: two machines with the same number do the same in the same job. `is_told`: prints
  // each event.
  Machine(std::uint64_t seed, std::uint64_t schedule, bool is_told);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  // The machine that runs now; null: none. System calls have no other way to find it.
  static Machine* present() { return current; }

  // `host`: the name of its host.
  void add_task(const std::string& name, const std::string& host, std::function<void()> body);
  // The task runs no more, and its stack is not unwound.
  void kill(const std::string& name);
  // Kills the task that runs.
  [[noreturn]] void end_task();
  // Returns when all tasks have ended.
  void run();
  // Ends run() although tasks are left.
  void stop() { is_stopped_ = true; }

  // While it exists, the task that runs loses no processor in basic blocks. The simulator's own
  // state needs it, because some inline functions of the engine are its own, too.
  class Unpreempted {
   public:
    explicit Unpreempted(Machine& machine) : machine_(machine) { ++machine_.unpreempted_; }
    Unpreempted(const Unpreempted&) = delete;
    Unpreempted& operator=(const Unpreempted&) = delete;
    ~Unpreempted() { --machine_.unpreempted_; }

   private:
    Machine& machine_;
  };

  // For the task that runs.
  void step();
  // Some of the calls are a step.
  void preempt() {
    if (unpreempted_ == 0 && --blocks_left_ == 0) preempt_now();
  }
  void yield();
  void sleep(Nanoseconds length);
  // Sleeps while `word` holds `value`, until wake() or the timeout.
  void wait_on(const std::uint32_t* word, std::uint32_t value, std::optional<Nanoseconds> limit);
  void wake(const std::uint32_t* word);
  // Sleeps until the condition on descriptors holds or the time has passed. The condition must not
  // call back.
  void wait_until(const std::function<bool()>& holds, std::optional<Nanoseconds> limit);
  // The conditions of sleeping tasks may hold now.
  void descriptors_changed() { ++descriptor_changes_; }
  bool is_in_task() const { return current_ != nullptr; }

  // The task that runs, or the name that act_as() has set, and its host.
  const std::string& actor() const { return current_ != nullptr ? current_->name : actor_; }
  const std::string& host() const { return current_ != nullptr ? current_->host : host_; }
  void act_as(const std::string& actor, const std::string& host) {
    actor_ = actor;
    host_ = host;
  }

  Nanoseconds now() const { return now_; }
  // Calls `action` at that time, or later, between two steps.
  void at(Nanoseconds time, std::function<void()> action);
  // The job fails if it has not ended by then.
  void set_deadline(Nanoseconds deadline) { deadline_ = deadline; }
  // For decisions of the network.
  Random& random() { return random_; }

  // Adds an event to the history, which is the same for the same seed.
  void note(const Event& event) {
    const Unpreempted now(*this);
    events_.add(now_, actor(), event);
  }
  std::uint64_t history() const { return events_.hash(); }
  std::uint64_t steps() const { return steps_; }
  // Called if the job fails, to say what its ranks wait for.
  void describe_by(std::function<std::string()> describe) { describe_ = std::move(describe); }
  // A call of a task has failed; ends the task, or the process.
  void give_up_by(std::function<void(const std::string&)> give_up) {
    give_up_ = std::move(give_up);
  }
  [[noreturn]] void give_up(const std::string& why) {
    give_up_(why);
    end_task();
  }
  // Ends the process: prints the reason, the last events and the state of each task.
  [[noreturn]] void fail(const std::string& why);

 private:
  // The behaviour of this machine, by the seed.
  struct Manner {
    explicit Manner(Random& random);

    std::uint64_t switch_one_in;
    std::uint64_t hold_one_in;
    Nanoseconds longest_hold;
    std::uint64_t most_blocks;  // between two steps
    Nanoseconds step_cost;
    Nanoseconds yield_cost;
  };
  struct Task {
    std::string name;
    std::string host;
    std::unique_ptr<Fiber> fiber;
    const std::uint32_t* word = nullptr;       // sleeps on this futex
    const std::function<bool()>* condition{};  // sleeps until it holds
    std::uint64_t descriptor_changes = 0;      // when the condition did not hold
    std::optional<Nanoseconds> until;          // the end of its sleep
    Nanoseconds held_until = 0;                // the system runs other processes until then
    bool is_asleep = false;
    bool is_dead = false;
  };

  bool may_run(Task& task);
  void fire_timers();
  Task* choose();
  bool jump();
  bool count_step();
  void give_up_processor();
  void preempt_now();
  void sleep_now(std::optional<Nanoseconds> limit);
  std::string describe(const Task& task) const;

  inline static Machine* current = nullptr;

  std::uint64_t seed_;
  Random random_;
  Manner manner_;
  Nanoseconds now_;
  Nanoseconds deadline_;
  std::uint64_t steps_ = 0;
  std::uint64_t blocks_left_ = 1;
  std::uint32_t unpreempted_ = 0;
  Events events_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Task*> able_;  // for choose()
  std::multimap<Nanoseconds, std::function<void()>> timers_;
  std::uint64_t descriptor_changes_ = 0;
  Task* current_ = nullptr;
  bool is_stopped_ = false;
  std::string actor_ = "the machine";
  std::string host_ = "here";
  std::function<std::string()> describe_;
  std::function<void(const std::string&)> give_up_;
};

}  // namespace gondwana::simulation
