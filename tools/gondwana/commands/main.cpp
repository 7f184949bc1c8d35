// The command `gondwana`. If it is called oshrun, it acts as `gondwana run`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/end_of_command.hpp"
#include "base/modules.hpp"
#include "commands/commands.hpp"
#include "commands/list.hpp"
#include "commands/tools.hpp"
#include "core/parse.hpp"
#include "core/print_error.hpp"
#include "core/standard_descriptors.hpp"
#include "run/launcher.hpp"

namespace {

std::string help() {
  std::string text = "Usage: gondwana COMMAND [...]\n\n";
  for (const auto& command : gondwana::commands::list)
    text += command.text.empty()
                ? fmt::format("  gondwana {}\n", command.usage)
                : fmt::format("  gondwana {:<21} {}\n", command.usage, command.text);
  return text;
}

int unknown_command(const std::string& word, const std::string& all) {
  if (::access(word.c_str(), F_OK) == 0 || word.find('/') != std::string::npos) {
    gondwana::print_error(
        "gondwana: {} is a program, not a command: gondwana run -n 4 {} starts it as 4 ranks\n",
        word, all);
    return 1;
  }
  if (word.starts_with("-")) {
    gondwana::print_error(
        "gondwana: {} is not an option of gondwana itself; did you mean gondwana run {}?\n", word,
        all);
    return 1;
  }
  std::vector<std::string_view> commands{"--help"};
  for (const auto& command : gondwana::commands::list) commands.push_back(command.name);
  const std::string_view near = gondwana::nearest(word, commands);
  gondwana::print_error("gondwana: there is no command {}{}; see gondwana --help\n", word,
                        near.empty() ? "" : fmt::format("; did you mean {}?", near));
  return 1;
}

// Runs a command of the module, which jobs do not need.
int run_tool(const std::vector<std::string>& words) {
  const gondwana::Result<void*> found =
      gondwana::find_in_module("libgondwana_tools.so", "gondwana_run_tool");
  if (!found) {
    gondwana::print_error(
        "gondwana {}: {}; install all of Gondwana, or build it with ./dev build\n", words.front(),
        found.error().text);
    return 1;
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return reinterpret_cast<decltype(&gondwana_run_tool)>(*found)(static_cast<int>(arguments.size()),
                                                                arguments.data());
}

bool is_help(std::string_view word) {
  return word == "--help" || word == "-h" || word == "help";
}

int run(std::string_view name, const std::vector<std::string>& words) {
  if (name.substr(0, name.find('.')) == "oshrun")  // packages install it as oshrun.gondwana
    return gondwana::launch::run_command(words);
  const std::string command = words.empty() ? "--help" : words.front();
  // gondwana help run, gondwana run help
  if (words.size() == 2 && is_help(words[0]) && !is_help(words[1]))
    return run(name, {words[1], "--help"});
  if (words.size() == 2 && words[1] == "help" && !is_help(words[0]))
    return run(name, {words[0], "--help"});
  if (command == "run") return gondwana::launch::run_command({words.begin() + 1, words.end()});
  if (command == "ps") return gondwana::commands::run_ps({words.begin() + 1, words.end()});
  if (command == "grow") return gondwana::commands::run_grow({words.begin() + 1, words.end()});
  if (command == "shrink") return gondwana::commands::run_shrink({words.begin() + 1, words.end()});
  if (command == "trace") return gondwana::commands::run_trace({words.begin() + 1, words.end()});
  if (command == "why") return gondwana::commands::run_why({words.begin() + 1, words.end()});
  if (command == "bench" || command == "info" || command == "top" || command == "complete")
    return run_tool(words);
  if (command == "--version") {
    fmt::print("gondwana {}\n", GONDWANA_VERSION);
    return 0;
  }
  if (!is_help(command)) return unknown_command(command, fmt::format("{}", fmt::join(words, " ")));
  fmt::print("{}", help());
  return words.empty() ? 1 : 0;
}

// Starting a job needs some stack. This function uses as little as possible.
[[gnu::noinline]] bool has_stack() {
  constexpr rlim_t min_kib = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >> 10 >= min_kib) return true;
  constexpr std::string_view before = "gondwana: a stack of ";
  constexpr std::string_view after =
      " KiB is too small: raise ulimit -s to at least 64; no process was started\n";
  std::array<char, 128> text{};
  char* end = std::copy(before.begin(), before.end(), text.begin());
  end = std::to_chars(end, text.end(), limit.rlim_cur >> 10).ptr;
  end = std::copy(after.begin(), after.end(), end);
  (void)!::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end - text.data()));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (!has_stack()) return 1;
  gondwana::occupy_standard_descriptors();
  const std::string_view path = argc > 0 ? argv[0] : "gondwana";
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return gondwana::run_and_flush([&] { return run(path.substr(path.rfind('/') + 1), words); });
}
