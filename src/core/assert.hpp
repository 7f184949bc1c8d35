// GONDWANA_ASSERT(condition, operands...) reports a bug of Gondwana. User input gets an error
// message.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace gondwana {

template <typename... Operands>
[[noreturn, gnu::cold, gnu::noinline]] void assertion_failed(const char* condition,
                                                             const char* names, const char* file,
                                                             int line,
                                                             const Operands&... operands) {
  fmt::print(stderr, "gondwana: bug: {}:{}: {} does not hold; {} =", file, line, condition, names);
  (fmt::print(stderr, " {}", operands), ...);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace gondwana

#define GONDWANA_ASSERT(condition, ...)                                                        \
  do {                                                                                         \
    if (!(condition)) [[unlikely]]                                                             \
      ::gondwana::assertion_failed(#condition, #__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__); \
  } while (false)
