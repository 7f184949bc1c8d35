// Defaults that a site sets for all of its users, in a TOML file whose keys are the names of
// variables. The environment takes precedence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace gondwana {

struct Variable;

class SiteFile {
 public:
  struct Value {
    const Variable* variable;
    std::string text;
    std::string place;  // "/etc/gondwana.toml:3"
  };

  // The path is the value of GONDWANA_CONFIG; null: the default file, if it exists; "": none.
  static Result<SiteFile> read(const char* named);
  // Errors name the path and the line.
  static Result<SiteFile> parse(std::string_view text, std::string_view path);

  // Null if the file does not set it.
  const Value* find(const Variable& variable) const;

 private:
  std::vector<Value> values_;
};

}  // namespace gondwana
