#include "simulation/engine/fiber.hpp"

#include <cstdint>
#include <utility>

#include "core/assert.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::size_t stack_size = std::size_t{512} << 10;

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  stack_ = Mapping::zeros(stack_size);
  GONDWANA_ASSERT(stack_.data() != nullptr, stack_size);
  ::getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.data();
  inside_.uc_stack.ss_size = stack_size;
  inside_.uc_link = &outside_;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::start), 2,
                static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
}

void Fiber::enter() {
  ::swapcontext(&outside_, &inside_);
}

void Fiber::leave() {
  ::swapcontext(&inside_, &outside_);
}

// makecontext passes only integers.
void Fiber::start(unsigned low, unsigned high) {
  auto* self = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
  self->body_();
  self->has_ended_ = true;
}

}  // namespace gondwana::simulation
