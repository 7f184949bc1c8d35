#include "core/process_stat.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "core/parse.hpp"

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
  std::getline(stream, line, '\0');  // the name may contain any byte, also a line feed
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

pid_t tracer_of(pid_t process) {
  return static_cast<pid_t>(status_of(process, "TracerPid:", 10).value_or(0));
}

Scheduled scheduled(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/schedstat", process));
  Scheduled times;
  return file >> times.run_ns >> times.delay_ns ? times : Scheduled{};
}

std::string command_line_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::string line;  // not by an iterator, which throws where the process ends before it is read
  for (std::string word; std::getline(file, word, '\0');) line += word + ' ';
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string variable_of(pid_t process, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
  for (std::string each; std::getline(file, each, '\0');)
    if (each.starts_with(name) && each.size() > name.size() && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  return {};
}

std::string thread_name(pid_t process, pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/comm", process, thread));
  std::string name;
  std::getline(file, name, '\0');  // it may contain any byte, also a line feed
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

std::optional<std::vector<pid_t>> children_of(pid_t process, pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/children", process, thread));
  if (!file.is_open()) return std::nullopt;
  return std::vector<pid_t>(std::istream_iterator<pid_t>(file), std::istream_iterator<pid_t>());
}

std::vector<pid_t> numbers_in_folder(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  std::vector<pid_t> numbers;
  while (open != nullptr) {
    const dirent* entry = ::readdir(open.get());  // NOLINT(concurrency-mt-unsafe): of our own
    if (entry == nullptr) break;
    if (const Result<std::uint64_t> number = parse_number(entry->d_name, 0, INT_MAX); number)
      numbers.push_back(static_cast<pid_t>(*number));
  }
  return numbers;
}

}  // namespace gondwana
