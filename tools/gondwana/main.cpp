// The command `gondwana`; called by the name oshrun it is `gondwana run`.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse.hpp"
#include "info/info.hpp"
#include "run/launcher.hpp"

namespace {

constexpr std::string_view help =
    "Usage: gondwana COMMAND [...]\n"
    "\n"
    "  gondwana run -n 4 ./program    start a program as 4 ranks (also: oshrun -n 4 ./program)\n"
    "  gondwana run --help            its options\n"
    "  gondwana info                  this machine, the environment variables, what is wrong\n"
    "  gondwana --version\n";

int unknown_command(std::string_view word) {
  constexpr std::array<std::string_view, 4> commands{"run", "info", "--version", "--help"};
  const std::string_view near = gondwana::nearest(word, commands);
  fmt::print(stderr, "gondwana: there is no command {}{}; see gondwana --help\n", word,
             near.empty() ? "" : fmt::format("; did you mean {}?", near));
  return 1;
}

int run(std::string_view name, const std::vector<std::string>& words) {
  if (name.substr(0, name.find('.')) == "oshrun")  // packages call it oshrun.gondwana
    return gondwana::launch::run_command(words);
  const std::string command = words.empty() ? "--help" : words.front();
  if (command == "run") return gondwana::launch::run_command({words.begin() + 1, words.end()});
  if (command == "info") return gondwana::info::run_command({words.begin() + 1, words.end()});
  if (command == "--version") {
    fmt::print("gondwana {}\n", GONDWANA_VERSION);
    return 0;
  }
  if (command != "--help" && command != "-h" && command != "help") return unknown_command(command);
  fmt::print("{}", help);
  return words.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string_view path = argc > 0 ? argv[0] : "gondwana";
    return run(path.substr(path.rfind('/') + 1), {argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& failure) {  // no memory
    fmt::print(stderr, "gondwana: {}\n", failure.what());
    return 1;
  }
}
