// Stacks from libbacktrace, which reads the program's debug information.
#include <backtrace.h>

#include <atomic>

#include "process/stack.hpp"

namespace gondwana {
namespace {

// Created once, by the first user; threads share it.
constinit std::atomic<backtrace_state*> state = nullptr;

void ignore_error(void* /*data*/, const char* /*message*/, int /*error*/) {}

backtrace_state* own_state() {
  constexpr int threaded = 1;
  backtrace_state* present = state.load(std::memory_order_acquire);
  if (present != nullptr) return present;
  backtrace_state* fresh = backtrace_create_state(nullptr, threaded, ignore_error, nullptr);
  return state.compare_exchange_strong(present, fresh) ? fresh : present;  // a few bytes are lost
}

struct Visitor {
  VisitFrame visit;
  void* data;
};

void name_symbol(void* name, std::uintptr_t /*address*/, const char* symbol,
                 std::uintptr_t /*value*/, std::uintptr_t /*size*/) {
  *static_cast<const char**>(name) = symbol;
}

int take_frame(void* data, std::uintptr_t address, const char* file, int line,
               const char* function) {
  const Visitor& visitor = *static_cast<Visitor*>(data);
  if (address == ~std::uintptr_t{0}) return 0;  // the end
  if (function == nullptr)
    backtrace_syminfo(own_state(), address, name_symbol, ignore_error, &function);
  return visitor.visit(visitor.data, {address, function, file, line}) ? 0 : 1;
}

}  // namespace

void prepare_stack() {
  walk_stack([](void* /*data*/, const Frame& /*frame*/) { return true; }, nullptr);
}

void visit_address(std::uintptr_t address, VisitFrame visit, void* data) {
  Visitor visitor{visit, data};
  if (own_state() != nullptr)
    backtrace_pcinfo(own_state(), address, take_frame, ignore_error, &visitor);
}

void walk_stack(VisitFrame visit, void* data) {
  Visitor visitor{visit, data};
  if (own_state() != nullptr) backtrace_full(own_state(), 0, take_frame, ignore_error, &visitor);
}

}  // namespace gondwana
