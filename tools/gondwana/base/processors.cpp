#include "base/processors.hpp"

#include <fmt/format.h>

namespace gondwana {

std::string format_processors(const cpu_set_t& processors) {
  std::string text;
  for (std::size_t first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &processors)) continue;
    std::size_t last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &processors)) ++last;
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    first = last;
  }
  return text;
}

}  // namespace gondwana
