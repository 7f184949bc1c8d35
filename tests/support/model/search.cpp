#include "support/model/search.hpp"

#include <fmt/format.h>

namespace gondwana::model {
namespace {

std::uint64_t fingerprint(const State& state) {
  std::uint64_t hash = state.memory.fingerprint();
  for (const ThreadState& thread : state.threads) {
    const auto status = static_cast<std::uint64_t>(thread.status);
    hash ^= (std::uint64_t{thread.node} << 16) + (status << 8) + thread.early_wakes;
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 32;
  }
  const auto bounds = std::uint64_t{state.preemptions} << 16 | std::uint64_t{state.behind} << 8;
  return (hash ^ (bounds | state.last)) * 0x94d049bb133111ebULL;
}

bool may_write(Kind kind) {
  return kind != Kind::load;
}

bool fails_to_exchange(const Operation& operation, std::uint32_t found) {
  return operation.kind == Kind::compare_exchange && found != operation.expected;
}

// The value that a read-modify-write stores where it found `found`.
std::uint32_t value_after(const Operation& operation, std::uint32_t found) {
  return operation.kind == Kind::fetch_add ? found + operation.value : operation.value;
}

}  // namespace

Outcome Search::run() {
  State start = initial();
  reach(start, {});
  while (!open_.empty() && outcome_.holds()) {
    const Reached at = open_.back();
    open_.pop_back();
    path_.resize(at.depth);
    path_.push_back(at.step);
    if (path_.size() > limits_.steps) {
      fail("does not end; does a loop lack a wait_for_change()?");
    } else if (known_.size() > limits_.states) {
      fail(fmt::format("gave up after {} states; make the scenario smaller", known_.size()));
    } else {
      expand(at.state, at.step.thread);
    }
  }
  outcome_.states = known_.size();
  return std::move(outcome_);
}

State Search::initial() {
  State state{};
  state.memory.reset(limits_.thread_fences);
  state.preemptions = limits_.preemptions;
  state.behind = limits_.behind;
  for (std::uint8_t thread = 0; thread < workers_; ++thread) {
    state.threads[thread] = {0, Status::running, limits_.early_wakes, 0};
    enter(state, thread, program_.start(thread));
  }
  return state;
}

// The search tries the thread that ran last first, so that stories have few switches.
void Search::expand(const State& state, std::uint8_t last) {
  const auto threads = static_cast<std::uint8_t>(program_.threads());
  moved_ = false;
  for (std::uint8_t thread = 0; thread < threads; ++thread) {
    const bool runs = state.threads[thread].status == Status::running;
    if (runs && is_local(program_.next(state.threads[thread].node).kind))
      return advance(state, thread);
  }
  for (std::uint8_t i = 1; i <= threads && outcome_.holds(); ++i)
    switch_to(state, static_cast<std::uint8_t>((last + i) % threads), last);
  if (!moved_ && outcome_.holds() && !workers_finished(state)) fail(stuck(state));
}

void Search::switch_to(const State& state, std::uint8_t thread, std::uint8_t last) {
  if (state.preemptions == Limits::unlimited) return advance(state, thread);
  State next = state;
  next.last = thread;
  if (thread != last && can_go_on(state, last)) {
    if (state.preemptions == 0) return;
    --next.preemptions;
  }
  advance(next, thread);
}

bool Search::can_go_on(const State& state, std::uint8_t thread) const {
  if (state.threads[thread].status != Status::running) return false;
  if (program_.next(state.threads[thread].node).kind != Kind::wait_for_change) return true;
  for (std::uint8_t word = 0; word < max_words; ++word)
    if (state.memory.has_news(thread, word)) return true;
  return false;
}

void Search::advance(const State& state, std::uint8_t thread) {
  const Status status = state.threads[thread].status;
  const Operation operation = program_.next(state.threads[thread].node);
  if (status == Status::asleep) {
    if (operation.timed) go_on_with_news(state, thread, Step::How::wakes_by_time);
    wake_early(state, thread);
  }
  if (status != Status::running) return;
  switch (operation.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::fetch_add:
    case Kind::exchange:
    case Kind::compare_exchange:
      return access(state, thread, operation);
    case Kind::release_fence:
    case Kind::acquire_fence:
    case Kind::light_fence:
    case Kind::heavy_fence:
      return fence(state, thread, operation);
    case Kind::read_data:
    case Kind::write_data:
      return touch_data(state, thread, operation);
    case Kind::futex_wait:
      return sleep(state, thread, operation);
    case Kind::futex_wake:
      return wake_sleepers(state, thread, operation);
    case Kind::wait_for_change:
      return go_on_with_news(state, thread, Step::How::plain);
    case Kind::fail:
      return fail({thread, operation}, operation.what);
    case Kind::finished:
      return;
  }
}

// A compare_exchange that fails is a load.
void Search::access(const State& state, std::uint8_t thread, const Operation& operation) {
  const std::uint8_t word = operation.place;
  const std::uint8_t newest = state.memory.newest(word);
  if (may_write(operation.kind) && state.memory.full(word))
    return fail({thread, operation}, "too many stores of one word can still be read");
  for (std::uint8_t at = state.memory.oldest(thread, word, std::memory_order_relaxed); at <= newest;
       ++at) {
    const std::uint32_t found = state.memory.value(word, at);
    const bool loads = operation.kind == Kind::load || fails_to_exchange(operation, found);
    const auto order = fails_to_exchange(operation, found) ? operation.failure : operation.order;
    if (at < state.memory.oldest(thread, word, order)) continue;
    if (!loads && !state.memory.may_follow(word, at)) continue;
    State next = state;
    Step step{thread, operation, 0, at != newest};
    if (step.behind && state.behind == 0) continue;
    if (step.behind && state.behind != Limits::unlimited) --next.behind;
    if (loads)
      step.result = next.memory.load(thread, word, at, order);
    else if (operation.kind == Kind::store)
      next.memory.store(thread, word, at, operation.value, order);
    else
      step.result = next.memory.replace(thread, word, at, value_after(operation, found), order);
    complete(next, step);
  }
}

void Search::fence(const State& state, std::uint8_t thread, const Operation& operation) {
  State next = state;
  Step step{thread, operation};
  if (operation.kind == Kind::release_fence) {
    next.memory.release_fence(thread);
  } else if (operation.kind == Kind::acquire_fence) {
    next.memory.acquire_fence(thread);
  } else if (operation.kind == Kind::light_fence) {
    next.memory.light_fence(thread);
  } else if (!limits_.heavy_fence_refused) {
    next.memory.heavy_fence(thread);
    step.result = 1;
  }
  complete(next, step);
}

void Search::touch_data(const State& state, std::uint8_t thread, const Operation& operation) {
  State next = state;
  const bool is_write = operation.kind == Kind::write_data;
  const bool ordered = is_write ? next.memory.write(thread, operation.place, operation.value)
                                : next.memory.read(thread, operation.place);
  Step step{thread, operation};
  if (!is_write) step.result = next.memory.plain(operation.place);
  if (!ordered) return fail(step, "data race: an earlier access is not ordered before this one");
  complete(next, step);
}

// The kernel compares with the newest value, under the lock that wakers take.
void Search::sleep(const State& state, std::uint8_t thread, const Operation& operation) {
  State next = state;
  const std::uint8_t newest = next.memory.newest(operation.place);
  next.memory.load(thread, operation.place, newest, std::memory_order_relaxed);
  if (next.memory.value(operation.place, newest) != operation.value) {
    next.memory.forget_looks(thread);
    return complete(next, {thread, operation});
  }
  next.threads[thread].status = Status::asleep;
  moved_ = true;
  reach(next, {thread, operation, 0, false, Step::How::sleeps});
}

void Search::wake_sleepers(const State& state, std::uint8_t thread, const Operation& operation) {
  State next = state;
  Step step{thread, operation};
  for (std::uint8_t other = 0; other < workers_; ++other) {
    ThreadState& sleeper = next.threads[other];
    if (sleeper.status != Status::asleep) continue;
    if (program_.next(sleeper.node).place != operation.place) continue;
    ++step.result;
    sleeper.status = Status::running;
    next.memory.forget_looks(other);
    enter(next, other, program_.after(sleeper.node, 0));
  }
  complete(next, step);
}

void Search::go_on_with_news(const State& state, std::uint8_t thread, Step::How how) {
  const Operation operation = program_.next(state.threads[thread].node);
  for (std::uint8_t word = 0; word < max_words; ++word) {
    if (!state.memory.has_news(thread, word)) continue;
    State next = state;
    next.memory.accept_news(thread, word);
    next.threads[thread].status = Status::running;
    complete(next, {thread, operation, 0, false, how});
  }
}

void Search::wake_early(const State& state, std::uint8_t thread) {
  if (state.threads[thread].early_wakes == 0) return;
  const bool moved_before = moved_;  // no thread may rely on an early wake
  State next = state;
  --next.threads[thread].early_wakes;
  next.threads[thread].status = Status::running;
  next.memory.forget_looks(thread);
  const Operation operation = program_.next(state.threads[thread].node);
  complete(next, {thread, operation, 0, false, Step::How::wakes_early});
  moved_ = moved_before;
}

void Search::complete(State& next, const Step& step) {
  moved_ = true;
  const NodeId node = next.threads[step.thread].node;
  enter(next, step.thread, program_.after(node, step.result));
  reach(next, step);
}

void Search::enter(State& state, std::uint8_t thread, NodeId node) {
  state.threads[thread].node = node;
  if (program_.next(node).kind == Kind::finished) state.threads[thread].status = Status::finished;
  if (program_.starts_phase(node)) state.memory.forget_looks(thread);
}

void Search::reach(State& next, const Step& step) {
  if (workers_ < program_.threads() && workers_finished(next) &&
      next.threads[workers_].status == Status::not_started) {
    next.memory.join_everything(workers_);
    next.threads[workers_].status = Status::running;
    enter(next, workers_, program_.start(workers_));
  }
  unsigned alive = 0;
  for (std::size_t i = 0; i < max_threads; ++i) {
    const Status status = next.threads[i].status;
    if (status == Status::running || status == Status::asleep) alive |= 1U << i;
  }
  next.memory.drop_unreadable(static_cast<std::uint8_t>(alive));
  if (known_.insert(fingerprint(next)).second) open_.push_back({next, step, path_.size()});
}

bool Search::workers_finished(const State& state) const {
  for (std::uint8_t thread = 0; thread < workers_; ++thread)
    if (state.threads[thread].status != Status::finished) return false;
  return true;
}

void Search::fail(const Step& step, std::string failure) {
  path_.push_back(step);
  fail(std::move(failure));
}

void Search::fail(std::string failure) {
  if (!outcome_.holds()) return;
  outcome_.failure = std::move(failure);
  // The first entry is the initial state, which no step reached.
  for (std::size_t i = 1; i < path_.size(); ++i) outcome_.story += tell(program_, path_[i]) + "\n";
}

std::string Search::stuck(const State& state) const {
  std::string text = "deadlock:";
  for (std::uint8_t thread = 0; thread < workers_; ++thread) {
    if (state.threads[thread].status == Status::finished) continue;
    const Operation& operation = program_.next(state.threads[thread].node);
    text +=
        fmt::format(" {} is in {};", program_.thread_name(thread), program_.describe(operation));
  }
  return text + " nobody will wake it";
}

}  // namespace gondwana::model
