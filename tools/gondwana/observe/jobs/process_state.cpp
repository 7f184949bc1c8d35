#include "observe/jobs/process_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/process_stat.hpp"

namespace gondwana::jobs {

Scheduled scheduled(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/schedstat", process));
  Scheduled times;
  return file >> times.run_ns >> times.delay_ns ? times : Scheduled{};
}

pid_t parent_of(pid_t process) {
  return stat_of(process).parent;
}

std::string command_line_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (line.ends_with('\0')) line.pop_back();
  std::ranges::replace(line, '\0', ' ');
  return line;
}

std::string variable_of(pid_t process, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
  for (std::string each; std::getline(file, each, '\0');)
    if (each.starts_with(name) && each.size() > name.size() && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  return {};
}

pid_t tracer_of(pid_t process) {
  return static_cast<pid_t>(status_of(process, "TracerPid:", 10).value_or(0));
}

}  // namespace gondwana::jobs
