#include "run/debugger/attach_debugger.hpp"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/exit_status.hpp"
#include "core/host_name.hpp"
#include "core/parse.hpp"
#include "core/print_error.hpp"
#include "core/process_stat.hpp"
#include "run/debugger/debugged_ranks.hpp"
#include "run/debugger/waiting_rank.hpp"

namespace gondwana::launch {
namespace {

// Only processes of the same user show their environment.
std::optional<pid_t> find_waiting(const std::string& mark, const std::string& rank) {
  const std::string words = fmt::format("{} {}{}", wait_for_debugger_option, before_mark, mark);
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failure)) {
    const Result<std::uint64_t> number =
        parse_number(entry.path().filename().native(), 1, ~0U >> 1);
    if (!number) continue;
    const auto process = static_cast<pid_t>(*number);
    if (command_line_of(process).find(words) == std::string::npos) continue;
    if (variable_of(process, "GONDWANA_RANK") == rank) return process;
  }
  return std::nullopt;
}

// The window closes when this process ends.
int complain_until_read(const std::string& sentence) {
  print_error("gondwana run: {}; press Enter to close\n", sentence);
  while (::isatty(STDIN_FILENO) == 1) {
    const int key = std::getchar();
    if (key == '\n' || key == EOF) break;
  }
  return exit_failure;
}

}  // namespace

int attach_debugger(const std::vector<std::string>& words) {
  constexpr std::chrono::milliseconds check_interval(50);
  constexpr std::chrono::seconds limit(60);  // for the ranks of all hosts to start
  const auto end = std::chrono::steady_clock::now() + limit;
  std::optional<pid_t> process = find_waiting(words[1], words[2]);
  while (!process && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(check_interval);
    process = find_waiting(words[1], words[2]);
  }
  if (!process)
    return complain_until_read(fmt::format("rank {} of this job does not wait for gdb on host {}",
                                           words[2], host_name().data()));
  std::vector<std::string> gdb = attach_command(*process);
  std::vector<char*> arguments(gdb.size() + 1);
  std::ranges::transform(gdb, arguments.begin(), [](std::string& word) { return word.data(); });
  ::execvp(arguments[0], arguments.data());
  return complain_until_read(fmt::format("gdb on host {}: {}; install it there", host_name().data(),
                                         std::strerror(errno)));
}

}  // namespace gondwana::launch
