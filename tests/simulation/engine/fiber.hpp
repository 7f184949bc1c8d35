// A fiber: a function with a stack and thread-local variables of its own, which runs until it calls
// back. Thread-local variables are those of the program: the engine is linked statically.
#pragma once

#include <functional>
#include <vector>

#include "core/mapping.hpp"

namespace gondwana::simulation {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Called outside of all fibers: runs the fiber until it calls leave() or ends.
  void enter();
  // Called by the fiber.
  void leave();
  bool has_ended() const { return has_ended_; }

 private:
  [[noreturn]] static void start();

  std::function<void()> body_;
  Mapping stack_;
  void* inside_ = nullptr;  // where the registers are saved
  void* outside_ = nullptr;
  std::vector<std::byte> variables_;  // while it does not run
  bool has_ended_ = false;
};

}  // namespace gondwana::simulation
