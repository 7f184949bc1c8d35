#include "observe/jobs/process_state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace gondwana::jobs {

ProcessState state_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line, '\0');
  const std::size_t bracket = line.rfind(')');  // of the name, which may have any other letter
  if (bracket == std::string::npos) return {};
  std::istringstream rest(line.substr(bracket + 1));
  ProcessState state;
  rest >> state.letter >> state.parent;
  constexpr int fields_before_times = 9;
  std::string skipped;
  for (int i = 0; i < fields_before_times; ++i) rest >> skipped;
  std::uint64_t of_program = 0;
  std::uint64_t of_kernel = 0;
  rest >> of_program >> of_kernel;
  constexpr int fields_before_threads = 4;
  for (int i = 0; i < fields_before_threads; ++i) rest >> skipped;
  rest >> state.threads;
  const auto tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  state.used_ns = (of_program + of_kernel) * tick_ns;
  return state;
}

Scheduled scheduled(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/schedstat", process));
  Scheduled times;
  return file >> times.run_ns >> times.delay_ns ? times : Scheduled{};
}

pid_t parent_of(pid_t process) {
  return state_of(process).parent;
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
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string word; file >> word;)
    if (pid_t tracer = 0; word == "TracerPid:" && file >> tracer) return tracer;
  return 0;
}

}  // namespace gondwana::jobs
