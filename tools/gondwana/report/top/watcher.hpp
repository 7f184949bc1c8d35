// Watches a job in its own thread, one interval after the other, for callers that must not block.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "observe/hosts/job_view.hpp"
#include "observe/jobs/watch.hpp"

namespace gondwana::top {

class Watcher {
 public:
  Watcher(hosts::JobView& view, std::chrono::milliseconds interval)
      : thread_([this, &view, interval] {
          while (!ends_) {
            jobs::JobSeen seen = view.watch(interval, [this] { return !ends_; });
            const std::lock_guard lock(mutex_);
            last_ = std::move(seen);
          }
        }) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    ends_ = true;
    thread_.join();
  }

  // Nothing before the first interval has ended.
  std::optional<jobs::JobSeen> last() {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  std::mutex mutex_;
  std::optional<jobs::JobSeen> last_;  // guarded by mutex_
  std::atomic<bool> ends_{false};
  std::thread thread_;  // declared last: it uses the other members
};

}  // namespace gondwana::top
