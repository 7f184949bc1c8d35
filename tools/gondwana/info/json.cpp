#include "info/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdint>

namespace gondwana::info {
namespace {

// How many bytes at the start of `text` are a character in UTF-8, as RFC 3629 has it; 0: none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) > 0x9f;
  const bool too_large = first == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

// Values of the environment are bytes; those that are no text become the sign for that.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char first = text.front();
    if (length == 0)
      result += "\\ufffd";
    else if (first == '"' || first == '\\')
      (result += '\\') += first;
    else if (static_cast<unsigned char>(first) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(first));
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

struct ToJson {
  std::string operator()(std::monostate /*nothing*/) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint64_t value) const { return fmt::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
};

// "free in /dev/shm" becomes "free_in_dev_shm".
std::string key(std::string_view name) {
  std::string result;
  for (const unsigned char letter : std::string(name)) {
    if (std::isalnum(letter) != 0)
      result += static_cast<char>(std::tolower(letter));
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  if (result.ends_with('_')) result.pop_back();
  return quoted(result);
}

std::string list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(quoted(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string object(const Fact& fact) {
  return fmt::format(R"(    {}: {{"value": {}, "text": {}, "remark": {}}})", key(fact.name),
                     std::visit(ToJson{}, fact.value), quoted(fact.text), quoted(fact.remark));
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
      quoted(variable.name), quoted(variable.value), quoted(variable.origin),
      quoted(variable.documentation), list(variable.other_names));
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
      quoted(report.version), sections, fmt::join(variables, ",\n"), list(report.problems),
      list(report.warnings));
}

}  // namespace gondwana::info
