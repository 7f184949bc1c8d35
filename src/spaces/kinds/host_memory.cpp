#include "spaces/kinds/host_memory.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace gondwana {
namespace {

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// Initialized before main() and constant afterwards.
const std::uintptr_t first_break = number(::sbrk(0));

struct Stack {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

Stack stack_of_thread() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
  const bool is_known = ::pthread_attr_getstack(&attributes, &begin, &size) == 0;
  ::pthread_attr_destroy(&attributes);
  return is_known ? Stack{number(begin), number(begin) + size} : Stack{};
}

}  // namespace

// A coroutine may run on its own stack, which a program may have placed anywhere.
bool is_surely_host(const void* address) {
  thread_local const Stack stack = stack_of_thread();
  const std::uintptr_t place = number(address);
  const std::uintptr_t frame = number(__builtin_frame_address(0));
  if (frame >= stack.begin && place >= frame && place < stack.end) return true;
  return place >= first_break && place < number(::sbrk(0));
}

}  // namespace gondwana
