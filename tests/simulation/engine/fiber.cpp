#include "simulation/engine/fiber.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "core/assert.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::size_t stack_size = std::size_t{512} << 10;

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  // An overflow reaches the lowest page, and must not write to other memory.
  const std::size_t guard = page_size();
  stack_ = Mapping::zeros(guard + stack_size);
  GONDWANA_ASSERT(stack_.data() != nullptr, stack_size);
  GONDWANA_ASSERT(::mprotect(stack_.data(), guard, PROT_NONE) == 0, errno);
  ::getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.data() + guard;
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
