#include "run/command_line/rank_variable.hpp"

#include <cstdlib>
#include <string>

namespace gondwana::launch {

const char* value_for_ranks(const Job& job, std::string_view name) {
  for (auto given = job.programs[0].environment.rbegin();
       given != job.programs[0].environment.rend(); ++given)
    if (given->starts_with(name) && given->size() > name.size() && (*given)[name.size()] == '=')
      return given->c_str() + name.size() + 1;
  return std::getenv(std::string(name).c_str());
}

}  // namespace gondwana::launch
