#include "commands/tools.hpp"

#include <string>
#include <vector>

#include "base/end_of_command.hpp"
#include "commands/bench.hpp"
#include "commands/completion/completion.hpp"
#include "commands/info.hpp"
#include "commands/top.hpp"

namespace gondwana::commands {
namespace {

int run(const std::string& command, const std::vector<std::string>& arguments) {
  if (command == "bench") return run_bench(arguments);
  if (command == "info") return run_info(arguments);
  if (command == "top") return run_top(arguments);
  return completion::run_command(arguments);
}

}  // namespace
}  // namespace gondwana::commands

int gondwana_run_tool(int count, const char* const* words) {
  return gondwana::run_to_the_end(
      [&] { return gondwana::commands::run(words[0], {words + 1, words + count}); });
}
