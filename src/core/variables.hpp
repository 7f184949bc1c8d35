// The environment variables that users may set: one table for all doors and commands, made from
// api/variables.toml. GONDWANA_ names win over the names that other libraries gave the same thing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/generated/variables.hpp"
#include "core/result.hpp"

namespace gondwana {

struct Options;

// Who reads a variable: every rank, or only ranks of one door, or another program.
enum class Reader : std::uint8_t { ranks, gasnet, launcher, profile, python };

struct Variable {
  // Puts a value into its place in the options, if it has one. The error says what was expected.
  using Assign = Result<void> (*)(const Variable&, std::string_view, Options&);

  const char* name;
  std::span<const char* const> aliases = {};  // other names, in falling precedence
  std::string_view fallback;                  // parsed by the same code as the user's text
  std::string_view help;
  Assign assign;
  Assign assign_alias = nullptr;            // for the values of the aliases
  bool alias_means_yes = false;             // whatever its value, even an empty one
  std::span<const char* const> words = {};  // that are its values; empty: other values
  std::uint64_t least = 0;                  // bounds of a number or a size
  std::uint64_t most = 0;
  Reader reader = Reader::ranks;
  bool environment_only = false;
};

// In the order of VariableId.
std::span<const Variable> variables();
const Variable& variable(VariableId id);

// Variables that the processes of a job pass on to each other.
std::span<const char* const> internal_variables();

// Returns the value of a variable, or null. Tests pass their own.
using Environment = std::function<const char*(const char*)>;
const char* own_environment(const char* name);

// The value that a variable has, as text. It lives as long as the environment stays as it is.
struct Setting {
  std::string_view variable;  // the name that gave it; empty: none, it is the default
  std::string_view value;

  bool is_default() const { return variable.empty(); }
};

// An empty value of a name of GASNet counts as none. Allocates nothing: handlers of signals may
// ask.
Setting setting_of(const Variable& variable, const Environment& environment);
Setting own_setting(VariableId id);  // in this process

// Reads one variable. The error names the variable, what it said and what was expected.
Result<void> read_option(VariableId id, const Environment& environment, Options& options);

// Reads the variables of all ranks and, if asked, those of one more reader.
Result<Options> read_options(const Environment& environment,
                             std::optional<Reader> also = std::nullopt);

// A sentence for every variable in `environ` that begins like ours, or like those of the standards,
// and is none, with the nearest known. With `prefix`: for those that begin with it.
std::vector<std::string> unknown_variables(char** environ, std::string_view prefix = {});

}  // namespace gondwana
