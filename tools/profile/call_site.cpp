#include "call_site.hpp"

#include <pthread.h>

namespace gondwana::profile {

Stack own_stack() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t size = 0;
  const int failed = ::pthread_attr_getstack(&attributes, &begin, &size);
  ::pthread_attr_destroy(&attributes);
  if (failed != 0) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  return {first, first + size};
}

}  // namespace gondwana::profile
