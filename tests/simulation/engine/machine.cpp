#include "simulation/engine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gondwana::simulation {
namespace {

// A job without a fault needs far less of both.
constexpr Nanoseconds longest_job = 60'000'000'000;
constexpr std::uint64_t max_steps = 30'000'000;
constexpr std::size_t kept_events = 60;

Machine* machine_of_process = nullptr;

}  // namespace

Machine* Machine::present() {
  return machine_of_process;
}

Machine::Machine(std::uint64_t seed, bool is_told)
    : seed_(seed),
      is_told_(is_told),
      random_(seed, 1),
      switch_one_in_(random_.pick<std::uint64_t>({1, 2, 4, 16})),
      hold_one_in_(random_.pick<std::uint64_t>({20, 100, 500, 1u << 30})),
      longest_hold_(random_.pick<Nanoseconds>({20'000, 500'000, 20'000'000})),
      most_blocks_(random_.pick<std::uint64_t>({40, 400, 4'000})),
      step_cost_(random_.pick<Nanoseconds>({40, 400})),
      yield_cost_(random_.pick<Nanoseconds>({2'000, 20'000, 200'000, 900'000})),
      now_(1'000'000'000),
      deadline_(now_ + longest_job),
      history_(seed) {
  machine_of_process = this;
}

Machine::~Machine() {
  machine_of_process = nullptr;
}

void Machine::add_task(const std::string& name, std::function<void()> body) {
  auto task = std::make_unique<Task>();
  task->name = name;
  task->fiber = std::make_unique<Fiber>(std::move(body));
  tasks_.push_back(std::move(task));
}

void Machine::run() {
  while (!tasks_.empty()) {
    fire_timers();
    Task* const task = choose();
    if (task == nullptr) {
      if (!jump()) fail("all tasks sleep, and nothing will wake one");
      continue;
    }
    current_ = task;
    task->fiber->enter();
    current_ = nullptr;
    if (!task->fiber->has_ended()) continue;
    note(task->name + " has ended");
    std::erase_if(tasks_, [task](const auto& each) { return each.get() == task; });
  }
}

void Machine::fire_timers() {
  while (!timers_.empty() && timers_.begin()->first <= now_) {
    const std::function<void()> action = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    action();
  }
}

bool Machine::may_run(Task& task) {
  if (task.held_until > now_) return false;
  if (!task.is_asleep) return true;
  const bool is_over = task.until && *task.until <= now_;
  const bool is_met = task.condition != nullptr && (*task.condition)();
  if (!is_over && !is_met) return false;
  task.is_asleep = false;
  return true;
}

Machine::Task* Machine::choose() {
  std::vector<Task*> able;
  for (const auto& task : tasks_)
    if (may_run(*task)) able.push_back(task.get());
  return able.empty() ? nullptr : random_.pick(able);
}

// To the next time at which something happens. Returns false if nothing ever will.
bool Machine::jump() {
  Nanoseconds next = ~Nanoseconds{0};
  if (!timers_.empty()) next = timers_.begin()->first;
  for (const auto& task : tasks_) {
    if (task->held_until > now_)
      next = std::min(next, task->held_until);
    else if (task->until)
      next = std::min(next, *task->until);
  }
  if (next == ~Nanoseconds{0}) return false;
  now_ = std::max(now_, next);
  return true;
}

void Machine::step() {
  now_ += 1 + random_.below(step_cost_);
  if (++steps_ > max_steps || now_ > deadline_)
    fail(fmt::format("the job has not ended after {:.3f} s of virtual time, in {} steps",
                     static_cast<double>(now_) * 1e-9, steps_));
  if (random_.one_in(hold_one_in_)) current_->held_until = now_ + random_.skewed(longest_hold_);
  if (current_->held_until > now_ || random_.one_in(switch_one_in_)) give_up_processor();
}

void Machine::preempt_now() {
  blocks_left_ = 1 + random_.below(most_blocks_);
  step();
}

void Machine::give_up_processor() {
  current_->fiber->leave();
  history_ = (history_ ^ now_ ^ static_cast<unsigned char>(current_->name.back())) *
             std::uint64_t{0x100000001b3};
}

void Machine::yield() {
  now_ += 1 + random_.below(yield_cost_);
  ++steps_;
  give_up_processor();
  step();
}

void Machine::sleep_now(std::optional<Nanoseconds> limit) {
  current_->until.reset();
  if (limit) current_->until = now_ + *limit;
  current_->is_asleep = true;
  give_up_processor();
  current_->word = nullptr;
  current_->condition = nullptr;
  current_->until.reset();
  step();
}

void Machine::sleep(Nanoseconds length) {
  sleep_now(length);
}

void Machine::wait_on(const std::uint32_t* word, std::uint32_t value,
                      std::optional<Nanoseconds> limit) {
  step();
  if (*static_cast<const volatile std::uint32_t*>(word) != value) return;
  current_->word = word;
  sleep_now(limit);
}

void Machine::wake(const std::uint32_t* word) {
  step();
  for (const auto& task : tasks_)
    if (task->is_asleep && task->word == word) task->is_asleep = false;
}

void Machine::wait_until(const std::function<bool()>& holds, std::optional<Nanoseconds> limit) {
  step();
  if (holds()) return;
  current_->condition = &holds;
  sleep_now(limit);
}

void Machine::at(Nanoseconds time, std::function<void()> action) {
  timers_.emplace(time, std::move(action));
}

void Machine::note(const std::string& event) {
  for (const char letter : event)
    history_ = (history_ ^ static_cast<unsigned char>(letter)) * std::uint64_t{0x100000001b3};
  last_.push_back(fmt::format("{:>14.3f} us  {}: {}", static_cast<double>(now_) * 1e-3,
                              current_ != nullptr ? current_->name : "network", event));
  if (is_told_) fmt::print("{}\n", last_.back());
  if (last_.size() > kept_events) last_.pop_front();
}

std::string Machine::describe(const Task& task) const {
  if (!task.is_asleep)
    return task.held_until > now_ ? "does not get the processor" : "runs or is ready";
  const char* what = task.word != nullptr        ? "on a futex"
                     : task.condition != nullptr ? "on descriptors"
                                                 : "by the clock";
  if (!task.until) return fmt::format("sleeps {}, without a timeout", what);
  return fmt::format("sleeps {}, for {:.3f} us more", what,
                     (static_cast<double>(*task.until) - static_cast<double>(now_)) * 1e-3);
}

void Machine::fail(const std::string& why) {
  if (!is_told_)
    for (const std::string& event : last_) fmt::print("{}\n", event);
  fmt::print("\nSeed {} fails: {}: {}\n", seed_,
             current_ != nullptr ? current_->name : "the machine", why);
  for (const auto& task : tasks_) fmt::print("  {} {}\n", task->name, describe(*task));
  if (describe_) fmt::print("{}", describe_());
  fmt::print("To see it again: ./dev simulate --engine --seed {}\n", seed_);
  std::fflush(stdout);
  std::_Exit(1);
}

}  // namespace gondwana::simulation
