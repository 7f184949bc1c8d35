// Prints to standard error. fmt::print would throw if it is closed or full, and the process would
// end by an exception instead of its status.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace gondwana {

template <typename... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace gondwana
