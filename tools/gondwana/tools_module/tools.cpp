#include "tools_module/tools.hpp"

#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "completion/completion.hpp"
#include "end_of_command.hpp"
#include "info/info.hpp"
#include "top/top.hpp"

namespace gondwana {
namespace {

int run(const std::string& command, const std::vector<std::string>& arguments) {
  if (command == "bench") return bench::run_command(arguments);
  if (command == "info") return info::run_command(arguments);
  if (command == "top") return top::run_command(arguments);
  return completion::run_command(arguments);
}

}  // namespace
}  // namespace gondwana

int gondwana_run_tool(int count, const char* const* words) {
  return gondwana::run_to_the_end(
      [&] { return gondwana::run(words[0], {words + 1, words + count}); });
}
