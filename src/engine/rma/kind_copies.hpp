// Transfers of device memory that operations of a lane have begun but not completed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/result.hpp"
#include "engine/rma/kind_work.hpp"
#include "engine/rma/reach.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana {

// Thread-safe.
class KindCopies {
 public:
  KindCopies() = default;
  KindCopies(const KindCopies&) = delete;
  KindCopies& operator=(const KindCopies&) = delete;
  // Transfers to and from other nodes must be complete.
  ~KindCopies() { [[maybe_unused]] const Result<void> done = complete(); }

  bool has_any() const { return has_any_.load(std::memory_order_relaxed); }

  // Exists while a copy is being started, when the result of of() is not yet in use.
  class Beginning {
   public:
    explicit Beginning(KindCopies& copies) : copies_(copies) {
      const std::scoped_lock lock(copies_.mutex_);
      ++copies_.beginning_;
      copies_.has_any_.store(true, std::memory_order_relaxed);
    }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
    ~Beginning() {
      const std::scoped_lock lock(copies_.mutex_);
      --copies_.beginning_;
    }

    // The completion of copies by this kind.
    Completion& of(Kind& kind) {
      const std::scoped_lock lock(copies_.mutex_);
      for (const auto& each : copies_.copies_)
        if (each->kind == &kind) return each->done;
      return copies_.copies_.emplace_back(std::make_unique<Copies>(&kind))->done;
    }
    // The rank whose arena begins at `window` may sleep until a copy is complete.
    void note_window(std::byte* window) {
      const std::scoped_lock lock(copies_.mutex_);
      auto& windows = copies_.windows_;
      if (std::ranges::find(windows, window) == windows.end()) windows.push_back(window);
    }

   private:
    KindCopies& copies_;
  };

  // Adds a transfer to or from another node.
  void add(std::unique_ptr<KindWork> work) {
    const std::scoped_lock lock(mutex_);
    has_any_.store(true, std::memory_order_relaxed);
    works_.push_back({++added_, std::move(work)});
  }
  // The number of the latest one.
  std::uint64_t last_added() {
    const std::scoped_lock lock(mutex_);
    return added_;
  }
  // Advances all without waiting. Returns how many up to number `last` are incomplete. Ignores
  // later ones, which other threads may add endlessly.
  std::size_t advance(std::uint64_t last) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(works_, [](const Work& each) { return each.work->advance(); });
    return static_cast<std::size_t>(
        std::ranges::count_if(works_, [=](const Work& each) { return each.number <= last; }));
  }

  // Returns when all copies within the node that have begun are complete. Error: one of them
  // failed.
  Result<void> complete() {
    if (!has_any()) [[likely]]
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
    forget_if_over();
    return all;
  }

 private:
  struct Copies {
    explicit Copies(Kind* of) : kind(of) {}
    Kind* kind;
    Completion done = {};
  };
  struct Work {
    std::uint64_t number;
    std::unique_ptr<KindWork> work;
  };

  // Keeps the flag if another thread has begun a copy meanwhile.
  void forget_if_over() {
    const std::scoped_lock lock(mutex_);
    const bool is_over = beginning_ == 0 && works_.empty() && windows_.empty() &&
                         std::ranges::all_of(copies_, [](const auto& each) {
                           return each->done.done() && !each->done.has_failed();
                         });
    if (is_over) has_any_.store(false, std::memory_order_relaxed);
  }

  std::atomic<bool> has_any_{false};             // some may be in flight
  std::mutex mutex_;                             // guards the members below
  std::size_t beginning_ = 0;                    // threads that are starting a copy
  std::vector<std::unique_ptr<Copies>> copies_;  // by kind; never removed
  std::vector<std::byte*> windows_;
  std::uint64_t added_ = 0;
  std::vector<Work> works_;  // in ascending order of their numbers
};

}  // namespace gondwana
