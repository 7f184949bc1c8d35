// Stacks by libbacktrace, which reads the debug information of the program itself.
#include <backtrace.h>

#include <cstdio>

#include "process/message.hpp"
#include "process/stack.hpp"

namespace gondwana {
namespace {

// Made once, before handlers of signals need it; threads may share it.
constinit backtrace_state* state = nullptr;

void ignore_error(void* /*data*/, const char* /*message*/, int /*error*/) {}

constexpr unsigned most_frames = 100;  // a stack that ran over has thousands

struct Frames {
  int fd = -1;
  std::uintptr_t from = 0;  // 0: it was found
  bool prints = true;
  unsigned count = 0;
};

void name_symbol(void* name, std::uintptr_t /*address*/, const char* symbol,
                 std::uintptr_t /*value*/, std::uintptr_t /*size*/) {
  *static_cast<const char**>(name) = symbol;
}

// The address of a frame is one less than where it goes on.
bool is_here(std::uintptr_t address, std::uintptr_t place) {
  return address == place || address + 1 == place;
}

int take_frame(void* data, std::uintptr_t address, const char* file, int line,
               const char* function) {
  auto& frames = *static_cast<Frames*>(data);
  if (address == ~std::uintptr_t{0}) return 0;  // the end
  if (frames.from != 0 && is_here(address, frames.from)) frames.from = 0;
  if (frames.from != 0 || !frames.prints) return 0;
  if (frames.count == most_frames) {
    say_to(frames.fd, "  ... more than %u frames", most_frames);
    return 1;
  }
  if (function == nullptr) backtrace_syminfo(state, address, name_symbol, ignore_error, &function);
  const char* name = function != nullptr ? function : "?";
  if (file != nullptr)
    say_to(frames.fd, "  #%u %s at %s:%d", frames.count++, name, file, line);
  else
    say_to(frames.fd, "  #%u %s (%#zx)", frames.count++, name, static_cast<std::size_t>(address));
  return 0;
}

}  // namespace

void prepare_stack() {
  constexpr int threaded = 1;
  if (state == nullptr) state = backtrace_create_state(nullptr, threaded, ignore_error, nullptr);
  Frames frames{.prints = false};
  // Reads the debug information: a stack that has run over has little room for that.
  if (state != nullptr) backtrace_full(state, 0, take_frame, ignore_error, &frames);
}

bool print_stack(int fd, std::uintptr_t from) {
  if (state == nullptr) prepare_stack();
  if (state == nullptr) return false;
  Frames frames{.fd = fd, .from = from};
  backtrace_full(state, 1, take_frame, ignore_error, &frames);
  if (frames.count == 0 && from != 0) return print_stack(fd);
  return frames.count > 0;
}

}  // namespace gondwana
