// Copies of devices that the operations of a lane have begun and not waited for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/result.hpp"
#include "engine/rma/reach.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana {

// Any thread.
class KindCopies {
 public:
  KindCopies() = default;
  KindCopies(const KindCopies&) = delete;
  KindCopies& operator=(const KindCopies&) = delete;
  ~KindCopies() { [[maybe_unused]] const Result<void> done = complete(); }

  // What a copy of the kind begins and finishes.
  Completion& of(Kind& kind) {
    const std::scoped_lock lock(mutex_);
    has_any_.store(true, std::memory_order_relaxed);
    for (const auto& each : copies_)
      if (each->kind == &kind) return each->done;
    return copies_.emplace_back(std::make_unique<Copies>(&kind))->done;
  }
  // The rank whose arena begins there may sleep until a copy is complete.
  void note_window(std::byte* window) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(windows_, window) == windows_.end()) windows_.push_back(window);
  }

  // False: none is under way.
  bool has_any() const { return has_any_.load(std::memory_order_relaxed); }
  // Returns when all that have begun are complete. An error: why one has failed.
  Result<void> complete() {
    if (!has_any_.load(std::memory_order_relaxed)) [[likely]]
      return {};
    std::vector<Copies*> begun;
    std::vector<std::byte*> windows;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& each : copies_) begun.push_back(each.get());
      windows.swap(windows_);
    }
    Result<void> all{};
    for (Copies* each : begun)
      if (const Result<void> done = each->kind->complete(each->done); !done && all) all = done;
    for (std::byte* window : windows) Reach::wake(window);
    return all;
  }

 private:
  struct Copies {
    explicit Copies(Kind* of) : kind(of) {}
    Kind* kind;
    Completion done = {};
  };

  std::atomic<bool> has_any_{false};             // has ever begun
  std::mutex mutex_;                             // guards what follows
  std::vector<std::unique_ptr<Copies>> copies_;  // by kind; they stay
  std::vector<std::byte*> windows_;
};

}  // namespace gondwana
