// Reports the kinds of devices whose memory a job may use.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "report/info/ask_agent.hpp"
#include "report/info/sections.hpp"

namespace gondwana::info {
namespace {

// Removes and returns the part of `text` before the separator, and removes the separator.
std::string_view take(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

}  // namespace

// Has a line for each kind: its name, the number of devices, and the reason if there are none.
Section devices() {
  Section section{"devices", {}};
  const Result<AgentAnswer> answer = ask_agent("--probe-kinds");
  if (!answer || !answer->works) {
    section.facts.push_back(
        without_value("kinds", "unknown", answer ? answer->text : answer.error().text));
    return section;
  }
  for (std::string_view lines = answer->text; !lines.empty();) {
    std::string_view line = take(lines, '\n');
    const std::string_view name = take(line, '\t');
    const std::string_view digits = take(line, '\t');
    std::uint64_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    section.facts.push_back(number(name, count, line));
  }
  return section;
}

}  // namespace gondwana::info
