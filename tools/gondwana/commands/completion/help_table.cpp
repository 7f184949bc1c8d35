#include "commands/completion/help_table.hpp"

#include <algorithm>
#include <utility>

namespace gondwana::completion {
namespace {

constexpr std::string_view usage = "Usage: ";

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(separators);
    if (end != 0) parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

// "--np N      ranks to start" -> "--np N", "ranks to start"
std::pair<std::string_view, std::string_view> split_columns(std::string_view line) {
  const std::size_t end = line.find("  ");
  if (end == std::string_view::npos) return {line, {}};
  return {line.substr(0, end), without_indent(line.substr(end))};
}

// Names come before the value. They are separated by a comma, a space or both.
HelpOption parse_option(std::string_view left, std::string_view text) {
  HelpOption option;
  option.text = text;
  for (const std::string_view word : split(left, " ")) {
    if (!word.starts_with('-')) {
      option.value = word;
      break;
    }
    for (const std::string_view name : split(word, ",")) option.names.emplace_back(name);
  }
  return option;
}

Operand operand_of(std::string_view usage_line) {
  if (usage_line.find("PROGRAM") != std::string_view::npos) return Operand::program;
  return usage_line.find("JOB") != std::string_view::npos ? Operand::job : Operand::none;
}

}  // namespace

const HelpOption* HelpTable::find(std::string_view name) const {
  const auto found = std::ranges::find_if(options, [&](const HelpOption& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

HelpTable parse_help(std::string_view help) {
  HelpTable table;
  const std::vector<std::string_view> lines = split(help, "\n");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(usage)) table.operand = operand_of(lines[i]);
    if (!lines[i].starts_with(' ') || !without_indent(lines[i]).starts_with('-')) continue;
    auto [left, text] = split_columns(without_indent(lines[i]));
    if (text.empty() && i + 1 < lines.size()) text = without_indent(lines[i + 1]);
    table.options.push_back(parse_option(left, text));
  }
  if (table.find("--help") == nullptr)
    table.options.push_back({.names = {"--help"}, .value = {}, .text = "print the help"});
  return table;
}

}  // namespace gondwana::completion
