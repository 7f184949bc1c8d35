// The copy engine of an emulated device: a thread that copies in order, with the latency and the
// bandwidth of the settings.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "spaces/kinds/devices.hpp"

namespace gondwana {

class CopyEngine {
 public:
  // `one` and `other` keep the memory until the engine has copied.
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t size;
    Completion* done;
    std::shared_ptr<const void> one;
    std::shared_ptr<const void> other;
  };

  // The context must outlive the engine.
  explicit CopyEngine(KindContext& context) : settings_(context.emulated), context_(context) {}
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;
  // All copies must be complete.
  ~CopyEngine();

  // Its completion has begun.
  void submit(Copy copy);
  void wait(Completion& done);

 private:
  bool is_at_once(std::size_t size) const;
  void run();
  void carry_out(const Copy& copy) const;

  EmulatedSettings settings_;
  KindContext& context_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable has_copies_;
  std::condition_variable has_finished_;
  std::deque<Copy> queue_;
  bool is_busy_ = false;  // the thread is copying
  bool ends_ = false;
  std::thread thread_;  // started by its first copy
};

}  // namespace gondwana
