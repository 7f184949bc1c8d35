#include "commands/tools.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/end_of_command.hpp"
#include "commands/commands.hpp"
#include "commands/completion/completion.hpp"
#include "run/command_line/option_parser.hpp"

namespace gondwana::commands {
namespace {

OptionList options_of(std::string_view command) {
  if (command == "run") return launch::list_options();
  if (command == "ps") return options_of_ps();
  if (command == "grow") return options_of_grow();
  if (command == "shrink") return options_of_shrink();
  if (command == "why") return options_of_why();
  if (command == "top") return options_of_top();
  if (command == "trace") return options_of_trace();
  if (command == "bench") return options_of_bench();
  return command == "info" ? options_of_info() : OptionList{};
}

int run(const std::string& command, const std::vector<std::string>& arguments) {
  if (command == "bench") return run_bench(arguments);
  if (command == "info") return run_info(arguments);
  if (command == "top") return run_top(arguments);
  return completion::run_command(arguments, options_of);
}

}  // namespace
}  // namespace gondwana::commands

int gondwana_run_tool(int count, const char* const* words) {
  return gondwana::run_and_flush(
      [&] { return gondwana::commands::run(words[0], {words + 1, words + count}); });
}
