#include "spaces/kinds/emulated/copy_engine.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include "core/signals.hpp"
#include "operations/copy.hpp"
#include "sync/atomics.hpp"

namespace gondwana {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

CopyEngine::~CopyEngine() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  has_copies_.notify_one();
  if (!thread_.joinable()) return;
  thread_.join();
  context_.tell_of_threads(-1, ThreadCount::exact);
}

// A handover to the engine takes longer than copying a few bytes. On a busy machine it takes two
// scheduling turns, which would slow down a node agent that copies the pieces of a message.
bool CopyEngine::is_at_once(std::size_t size) const {
  constexpr std::size_t few = 256 * 1024;
  return size <= few && settings_.latency_us == 0 && settings_.bandwidth == 0;
}

void CopyEngine::submit(Copy copy) {
  std::unique_lock lock(mutex_);
  if (is_at_once(copy.size) && queue_.empty() && !is_busy_) {
    lock.unlock();
    carry_out(copy);
    lock.lock();  // another thread may sleep until a Completion with both copies is done
    return has_finished_.notify_all();
  }
  queue_.push_back(std::move(copy));
  if (!thread_.joinable()) {
    const SignalsBlocked of_the_program;
    thread_ = std::thread([this] { run(); });
    context_.tell_of_threads(1, ThreadCount::exact);
  }
  lock.unlock();
  has_copies_.notify_one();
}

void CopyEngine::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_copies_.wait(lock, [this] { return !queue_.empty() || ends_; });
    if (queue_.empty()) return;
    const Copy copy = std::move(queue_.front());
    queue_.pop_front();
    is_busy_ = true;
    lock.unlock();
    carry_out(copy);
    lock.lock();
    is_busy_ = false;
    has_finished_.notify_all();
  }
}

void CopyEngine::carry_out(const Copy& copy) const {
  const Clock::time_point end =
      Clock::now() + std::chrono::microseconds(settings_.latency_us) +
      std::chrono::nanoseconds(
          settings_.bandwidth == 0
              ? 0
              : static_cast<std::int64_t>(1e9 * static_cast<double>(copy.size) /
                                          static_cast<double>(settings_.bandwidth)));
  if (settings_.latency_us > 0 || settings_.bandwidth > 0) std::this_thread::sleep_until(end);
  copy_to_peer(copy.to, copy.from, copy.size);
  copy.done->finish();
}

// A copy of a few pages is done after a few polls. Then the engine gets the processor.
void CopyEngine::wait(Completion& done) {
  constexpr int polls = 400;
  for (int i = 0; i < polls && !done.done(); ++i) relax();
  if (done.done()) return;
  std::unique_lock lock(mutex_);
  has_finished_.wait(lock, [&] { return done.done(); });
}

}  // namespace gondwana
