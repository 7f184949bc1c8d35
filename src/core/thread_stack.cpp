#include "core/thread_stack.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace gondwana {
namespace {

std::optional<std::size_t> stack_of_first_thread() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace

std::optional<std::size_t> own_stack_size() {
  if (::gettid() == ::getpid()) return stack_of_first_thread();
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return std::nullopt;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool is_known = ::pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  ::pthread_attr_destroy(&attributes);
  const auto* here = reinterpret_cast<const std::byte*>(&attributes);
  const auto* low = static_cast<const std::byte*>(lowest);
  if (!is_known || here < low || here >= low + size) return std::nullopt;
  return size;
}

}  // namespace gondwana
