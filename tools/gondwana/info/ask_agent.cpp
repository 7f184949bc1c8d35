#include "info/ask_agent.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "run/command_line/quote.hpp"
#include "run/node/agent_record.hpp"

namespace gondwana::info {

Result<AgentAnswer> ask_agent(std::string_view option) {
  const Result<std::string> agent = launch::find_agent();
  if (!agent) return agent.error();
  const std::string command = fmt::format("{} {} 2>&1", launch::quote(*agent), option);
  FILE* pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return Error{Errc::refused, "cannot start gondwana-agent"};
  AgentAnswer answer{};
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;)
    answer.text += static_cast<char>(letter);
  answer.works = ::pclose(pipe) == 0;
  return answer;
}

}  // namespace gondwana::info
