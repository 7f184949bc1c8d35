// A fiber: a function with a stack of its own, which runs until it calls back.
#pragma once

#include <ucontext.h>

#include <functional>

#include "core/mapping.hpp"

namespace gondwana::simulation {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Called outside of all fibers: runs the fiber until it calls leave() or ends.
  void enter();
  // Called by the fiber.
  void leave();
  bool has_ended() const { return has_ended_; }

 private:
  static void start(unsigned low, unsigned high);

  std::function<void()> body_;
  Mapping stack_;
  ucontext_t inside_{};
  ucontext_t outside_{};
  bool has_ended_ = false;
};

}  // namespace gondwana::simulation
