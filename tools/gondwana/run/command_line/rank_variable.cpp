#include "run/command_line/rank_variable.hpp"

#include <cstdlib>
#include <ranges>
#include <string>
#include <string_view>

namespace gondwana::launch {

Environment environment_of_ranks(const Job& job) {
  return Environment::with_site_file([&job](const char* name) -> const char* {
    const std::string beginning = std::string(name) + '=';
    for (const std::string& given : std::views::reverse(job.programs[0].environment))
      if (given.starts_with(beginning)) return given.c_str() + beginning.size();
    return std::getenv(name);
  });
}

}  // namespace gondwana::launch
