#include "report/info/ask_agent.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/own_files.hpp"
#include "base/quote.hpp"

namespace gondwana::info {

Result<AgentAnswer> ask_agent(std::string_view option) {
  const Result<std::string> agent = find_agent();
  if (!agent) return agent.error();
  const std::string command = fmt::format("{} {} 2>&1", quote(*agent), option);
  FILE* pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return Error{Errc::refused, "cannot start gondwana-agent"};
  AgentAnswer answer{};
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;)
    answer.text += static_cast<char>(letter);
  answer.works = ::pclose(pipe) == 0;
  return answer;
}

}  // namespace gondwana::info
