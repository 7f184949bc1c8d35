// The contents of `gondwana info`, before they are formatted for people or programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gondwana::info {

// Empty if there is no limit, or if it is unknown.
using Value = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

struct Fact {
  std::string name;  // "open files"; in JSON "open_files"
  Value value;
  std::string text;    // the value for people
  std::string remark;  // the reason or the remedy; may be empty
};

Fact word(std::string_view name, std::string_view value, std::string_view remark = {});
Fact yes_or_no(std::string_view name, bool value, std::string_view remark = {});
Fact number(std::string_view name, std::uint64_t value, std::string_view remark = {});
Fact size(std::string_view name, std::size_t bytes, std::string_view remark = {});
Fact without_value(std::string_view name, std::string_view text, std::string_view remark = {});

struct Section {
  std::string name;
  std::vector<Fact> facts;
};

// An environment variable that the library reads.
struct Variable {
  std::string name;
  std::string value;   // the value in effect
  std::string origin;  // the variable or the line of the site file that set it, or "default"
  std::string documentation;
  std::vector<std::string> other_names;
};

struct Report {
  std::string version;
  std::vector<Section> sections;
  std::vector<Variable> variables;
  std::vector<std::string> problems;  // no program runs, or not as requested; each names a remedy
  std::vector<std::string> warnings;  // programs run, but perhaps not as intended
};

}  // namespace gondwana::info
