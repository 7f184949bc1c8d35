#include "core/process_stat.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gondwana {
namespace {

void skip(std::istream& words, int count) {
  std::string word;
  for (int i = 0; i < count; ++i) words >> word;
}

}  // namespace

ProcessStat read_stat(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line, '\0');  // the name may have any letter, also the end of a line
  const std::size_t bracket = line.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream rest(line.substr(bracket + 1));
  ProcessStat stat;
  rest >> stat.state >> stat.parent;
  constexpr int fields_before_times = 9;
  skip(rest, fields_before_times);
  std::uint64_t of_program = 0;
  std::uint64_t of_kernel = 0;
  std::uint64_t of_programs_of_children = 0;
  std::uint64_t of_kernel_of_children = 0;
  rest >> of_program >> of_kernel >> of_programs_of_children >> of_kernel_of_children;
  constexpr int fields_before_threads = 2;
  skip(rest, fields_before_threads);
  rest >> stat.threads;
  const auto tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  stat.used_ns = (of_program + of_kernel) * tick_ns;
  stat.used_by_children_ns = (of_programs_of_children + of_kernel_of_children) * tick_ns;
  return stat;
}

ProcessStat stat_of(pid_t process) {
  return read_stat(fmt::format("/proc/{}/stat", process));
}

std::optional<std::uint64_t> status_of(pid_t process, std::string_view name, int base) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, base);
  return std::nullopt;
}

}  // namespace gondwana
