#include "core/more_ranks.hpp"

#include <fmt/format.h>

#include <cerrno>

namespace gondwana {

std::string start_with_more(std::uint32_t ranks, std::int64_t named, const char* launcher) {
  if (ranks != 1 || named < 1) return {};
  return fmt::format("; start it with {} -n {} {}", launcher, named + 1, program_invocation_name);
}

}  // namespace gondwana
