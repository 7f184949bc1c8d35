#include "report/info/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdint>

#include "base/json_text.hpp"

namespace gondwana::info {
namespace {

struct ToJson {
  std::string operator()(std::monostate /*nothing*/) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint64_t value) const { return fmt::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return json_text(value); }
};

// Converts "free in /dev/shm" to "free_in_dev_shm".
std::string key(std::string_view name) {
  std::string result;
  for (const unsigned char letter : std::string(name)) {
    if (std::isalnum(letter) != 0)
      result += static_cast<char>(std::tolower(letter));
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  if (result.ends_with('_')) result.pop_back();
  return json_text(result);
}

std::string list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(json_text(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string object(const Fact& fact) {
  return fmt::format(R"(    {}: {{"value": {}, "text": {}, "remark": {}}})", key(fact.name),
                     std::visit(ToJson{}, fact.value), json_text(fact.text),
                     json_text(fact.remark));
}

std::string object(const Section& section) {
  std::vector<std::string> facts;
  facts.reserve(section.facts.size());
  for (const Fact& fact : section.facts) facts.push_back(object(fact));
  return fmt::format("  {}: {{\n{}\n  }},\n", key(section.name), fmt::join(facts, ",\n"));
}

std::string object(const Variable& variable) {
  return fmt::format(
      R"(    {{"name": {}, "value": {}, "origin": {}, "documentation": {}, "other_names": {}}})",
      json_text(variable.name), json_text(variable.value), json_text(variable.origin),
      json_text(variable.documentation), list(variable.other_names));
}

}  // namespace

std::string to_json(const Report& report) {
  std::string sections;
  for (const Section& section : report.sections) sections += object(section);
  std::vector<std::string> variables;
  variables.reserve(report.variables.size());
  for (const Variable& variable : report.variables) variables.push_back(object(variable));
  return fmt::format(
      "{{\n  \"version\": {},\n{}  \"variables\": [\n{}\n  ],\n  \"problems\": {},\n"
      "  \"warnings\": {}\n}}\n",
      json_text(report.version), sections, fmt::join(variables, ",\n"), list(report.problems),
      list(report.warnings));
}

}  // namespace gondwana::info
