#include "report/info/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gondwana::info {
namespace {

constexpr std::size_t line_length = 100;

// The widths of the columns of names and values.
struct Columns {
  std::size_t name = 0;
  std::size_t value = 0;

  void free_space(std::string_view for_name, std::string_view for_value) {
    constexpr std::size_t usual_value = 20;  // longer values shift the remark to the right
    name = std::max(name, for_name.size());
    if (for_value.size() <= usual_value) value = std::max(value, for_value.size());
  }
};

// Wraps `text` at an indent of `indent` columns, without breaking words.
std::string folded(std::string_view text, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t most = line_length - indent;
    std::size_t end = text.size() <= most ? text.size() : text.rfind(' ', most);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    result += fmt::format("{:{}}{}\n", "", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// The remark follows the value if there is space; otherwise it starts a new line.
std::string lines_of(const Fact& fact, const Columns& columns) {
  const std::string start = fmt::format("  {:<{}}  ", fact.name, columns.name);
  if (fact.remark.empty()) return start + fact.text + '\n';
  std::string line = fmt::format("{}{:<{}}  {}\n", start, fact.text, columns.value, fact.remark);
  if (line.size() <= line_length + 1) return line;
  return start + fact.text + '\n' + folded(fact.remark, start.size());
}

std::string lines_of(const Section& section) {
  Columns columns;
  for (const Fact& fact : section.facts) columns.free_space(fact.name, fact.text);
  std::string text = fmt::format("\n{}\n", section.name);
  for (const Fact& fact : section.facts) text += lines_of(fact, columns);
  return text;
}

std::string lines_of(const std::vector<Variable>& variables) {
  constexpr std::size_t indent = 6;
  Columns columns;
  for (const Variable& variable : variables) columns.free_space(variable.name, variable.value);
  std::string text = "\nenvironment variables: value, origin, meaning\n";
  for (const Variable& variable : variables) {
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", variable.name, columns.name, variable.value,
                        columns.value, variable.origin);
    text += folded(variable.documentation, indent);
    if (!variable.other_names.empty())
      text += folded(fmt::format("also: {}", fmt::join(variable.other_names, ", ")), indent);
  }
  return text;
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text = fmt::format("Gondwana {}\n", report.version);
  for (const Section& section : report.sections) text += lines_of(section);
  return text + lines_of(report.variables);
}

}  // namespace gondwana::info
