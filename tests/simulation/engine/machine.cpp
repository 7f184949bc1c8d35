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
constexpr Nanoseconds begin_of_time = 1'000'000'000;

}  // namespace

Machine::Manner::Manner(Random& random)
    : switch_one_in(random.pick<std::uint64_t>({1, 2, 4, 16})),
      hold_one_in(random.pick<std::uint64_t>({20, 100, 500, 1U << 30})),
      longest_hold(random.pick<Nanoseconds>({20'000, 500'000, 20'000'000})),
      most_blocks(random.pick<std::uint64_t>({40, 400, 4'000})),
      step_cost(random.pick<Nanoseconds>({40, 400})),
      yield_cost(random.pick<Nanoseconds>({2'000, 20'000, 200'000, 900'000})) {}

Machine::Machine(std::uint64_t seed, std::uint64_t schedule, bool is_told)
    : seed_(seed),
      random_(schedule, 1),
      manner_(random_),
      now_(begin_of_time),
      deadline_(now_ + longest_job),
      events_(seed, is_told) {
  current = this;
}

Machine::~Machine() {
  current = nullptr;
}

void Machine::add_task(const std::string& name, const std::string& host,
                       std::function<void()> body) {
  auto task = std::make_unique<Task>();
  task->name = name;
  task->host = host;
  task->fiber = std::make_unique<Fiber>(std::move(body));
  tasks_.push_back(std::move(task));
}

void Machine::kill(const std::string& name) {
  for (const auto& task : tasks_)
    if (task->name == name) task->is_dead = true;
  if (!is_in_task()) std::erase_if(tasks_, [](const auto& task) { return task->is_dead; });
}

void Machine::end_task() {
  current_->is_dead = true;
  current_->fiber->leave();
  std::abort();
}

void Machine::run() {
  while (!tasks_.empty() && !is_stopped_) {
    fire_timers();
    Task* const task = choose();
    if (task == nullptr) {
      if (!jump()) fail("all tasks sleep, and nothing will wake one");
      continue;
    }
    current_ = task;
    task->fiber->enter();
    if (task->fiber->has_ended()) {
      note("has ended");
      task->is_dead = true;
    }
    current_ = nullptr;
    if (task->is_dead) std::erase_if(tasks_, [](const auto& each) { return each->is_dead; });
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
  const bool may_be_met =
      task.condition != nullptr &&
      std::exchange(task.descriptor_changes, descriptor_changes_) != descriptor_changes_;
  if (!is_over && !(may_be_met && (*task.condition)())) return false;
  task.is_asleep = false;
  return true;
}

Machine::Task* Machine::choose() {
  able_.clear();
  for (const auto& task : tasks_)
    if (may_run(*task)) able_.push_back(task.get());
  return able_.empty() ? nullptr : random_.pick(able_);
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
  if (now_ > deadline_) fail("the job has not ended in time");
  return true;
}

void Machine::step() {
  if (count_step()) give_up_processor();
}

// Returns whether another task runs next.
bool Machine::count_step() {
  const Unpreempted here(*this);
  now_ += 1 + random_.below(manner_.step_cost);
  if (++steps_ > max_steps || now_ > deadline_)
    fail(fmt::format("the job has not ended after {:.3f} s of virtual time, in {} steps",
                     static_cast<double>(now_ - begin_of_time) * 1e-9, steps_));
  if (random_.one_in(manner_.hold_one_in))
    current_->held_until = now_ + random_.skewed(manner_.longest_hold);
  return current_->held_until > now_ || random_.one_in(manner_.switch_one_in);
}

void Machine::preempt_now() {
  blocks_left_ = 1 + random_.below(manner_.most_blocks);
  step();
}

void Machine::give_up_processor() {
  current_->fiber->leave();
  events_.add(now_ ^ static_cast<unsigned char>(current_->name.back()));
}

void Machine::yield() {
  now_ += 1 + random_.below(manner_.yield_cost);
  ++steps_;
  give_up_processor();
  step();
}

void Machine::sleep_now(std::optional<Nanoseconds> limit) {
  current_->until.reset();
  if (limit) current_->until = now_ + *limit;
  current_->descriptor_changes = descriptor_changes_;
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
  events_.print_last();
  fmt::print("\nSeed {} fails: {}: {}\n", seed_, actor(), why);
  for (const auto& task : tasks_) fmt::print("  {} {}\n", task->name, describe(*task));
  if (describe_) fmt::print("{}", describe_());
  std::fflush(stdout);
  std::_Exit(1);
}

}  // namespace gondwana::simulation
