// GONDWANA_ASSERT(condition, operands...) reports a bug of Gondwana. User input gets an error
// message.
#pragma once

#include <cinttypes>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace gondwana {

// A value that is printed with a failed condition. It does not use {fmt}, whose templates would be
// compiled again in each file that asserts (0.15 s each).
class Operand {
 public:
  template <std::integral Number>
  constexpr Operand(Number number)
      : number_(static_cast<std::uint64_t>(number)), is_negative_(number < Number{}) {}
  template <std::convertible_to<std::string_view> Text>
  constexpr Operand(const Text& text) : text_(text) {}

  void print() const {
    if (text_.data() != nullptr)
      std::fprintf(stderr, " %.*s", static_cast<int>(text_.size()), text_.data());
    else if (is_negative_)
      std::fprintf(stderr, " %" PRId64, static_cast<std::int64_t>(number_));
    else
      std::fprintf(stderr, " %" PRIu64, number_);
  }

 private:
  std::uint64_t number_ = 0;
  bool is_negative_ = false;
  std::string_view text_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void assertion_failed(
    const char* condition, const char* names, const char* file, int line,
    std::initializer_list<Operand> operands) {
  std::fprintf(stderr, "gondwana: bug: %s:%d: %s does not hold; %s =", file, line, condition,
               names);
  for (const Operand& each : operands) each.print();
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace gondwana

#define GONDWANA_ASSERT(condition, ...)                                                          \
  do {                                                                                           \
    if (!(condition)) [[unlikely]]                                                               \
      ::gondwana::assertion_failed(#condition, #__VA_ARGS__, __FILE__, __LINE__, {__VA_ARGS__}); \
  } while (false)
