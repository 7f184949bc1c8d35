#include "report/info/json.hpp"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.hpp"

namespace gondwana::info {
namespace {

// Converts "free in /dev/shm" to "free_in_dev_shm".
std::string key(std::string_view name) {
  std::string result;
  for (const char byte : name) {
    const auto letter = static_cast<unsigned char>(byte);
    if (std::isalnum(letter) != 0)
      result += static_cast<char>(std::tolower(letter));
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  if (result.ends_with('_')) result.pop_back();
  return result;
}

struct ToJson {
  Json operator()(std::monostate /*nothing*/) const { return nullptr; }
  Json operator()(const auto& value) const { return value; }
};

Json object_of(const Section& section) {
  Json facts = Json::object();
  for (const Fact& fact : section.facts)
    facts[key(fact.name)] = {
        {"value", std::visit(ToJson{}, fact.value)}, {"text", fact.text}, {"remark", fact.remark}};
  return facts;
}

}  // namespace

std::string to_json(const Report& report) {
  Json whole{{"version", report.version}};
  for (const Section& section : report.sections) whole[key(section.name)] = object_of(section);
  Json& variables = whole["variables"] = Json::array();
  for (const Variable& variable : report.variables)
    variables.push_back({{"name", variable.name},
                         {"value", variable.value},
                         {"origin", variable.origin},
                         {"documentation", variable.documentation},
                         {"other_names", variable.other_names}});
  whole["problems"] = report.problems;
  whole["warnings"] = report.warnings;
  return to_text(whole);
}

}  // namespace gondwana::info
