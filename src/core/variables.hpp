// The environment variables that users may set: one table for all doors and commands. Each build
// makes it from api/variables.toml. GONDWANA_ names take precedence over other libraries' names for
// the same setting.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/generated/variables.hpp"
#include "core/result.hpp"
#include "core/site_file.hpp"

namespace gondwana {

struct Options;

// The readers of a variable: every rank, only ranks that use one door, or another program.
enum class Reader : std::uint8_t { ranks, gasnet, launcher, profile, python, all };

struct Variable {
  // Stores a value in its member of the options, if it has one. The error says what was expected.
  using Assign = Result<void> (*)(const Variable&, std::string_view, Options&);

  const char* name;
  std::span<const char* const> aliases = {};  // other names, in falling precedence
  std::string_view fallback;                  // the default, parsed like the user's text
  std::string_view help;
  Assign assign;
  Assign assign_alias = nullptr;            // for the values of the aliases
  bool alias_means_yes = false;             // any value counts, even an empty one
  std::span<const char* const> words = {};  // the allowed values; empty: any
  std::uint64_t least = 0;                  // limits of a number or a size
  std::uint64_t most = 0;
  Reader reader = Reader::ranks;
  bool environment_only = false;
};

// In the order of VariableId.
std::span<const Variable> variables();
const Variable& variable(VariableId id);
// The variable with this name or alias; null if there is none.
const Variable* find_variable(std::string_view name);

// Variables that the processes of a job inherit from each other.
std::span<const char* const> internal_variables();

// The sources of values: the variables of a process, then the site file.
class Environment {
 public:
  using Lookup = std::function<const char*(const char*)>;  // the value of a variable, or null

  Environment() = default;  // without variables
  // Without a site file.
  template <std::invocable<const char*> Function>
    requires(!std::same_as<Function, Environment>)
  Environment(Function lookup)
      : lookup_(std::move(lookup)) {}  // NOLINT(google-explicit-constructor)
  // With the site file that the variables name. read_options() reports its errors.
  static Environment with_site_file(Lookup lookup);

  const char* operator()(const char* name) const { return lookup_ ? lookup_(name) : nullptr; }
  // The site file's value of a variable, or null.
  const SiteFile::Value* site_value(const Variable& variable) const;
  Result<void> check_site_file() const;

 private:
  Lookup lookup_;
  std::shared_ptr<const Result<SiteFile>> site_;  // null: none
};

// The environment of this process. The site file is read once, at the first call.
const Environment& own_environment();

// The value of a variable, as text. It is valid until the environment changes.
struct Setting {
  std::string_view variable;  // the name in the environment that gave it, or
  std::string_view place;     // the line of the site file; empty as well: it is the default
  std::string_view value;

  bool is_default() const { return variable.empty() && place.empty(); }
  std::string_view origin() const;  // the name that is set, or "default"
};

// An empty value of a GASNet name counts as unset. Allocates nothing: signal handlers may call it.
Setting setting_of(const Variable& variable, const Environment& environment);
Setting own_setting(VariableId id);  // in this process

// Reads one variable. The error says where the value came from, what it is and what was expected.
Result<void> read_option(VariableId id, const Environment& environment, Options& options);

// Reads the variables of all ranks and, if asked, those of one more reader.
Result<Options> read_options(const Environment& environment,
                             std::optional<Reader> also = std::nullopt);

// Explains why `name` is not a variable, and names the nearest one. Empty if it is one, or has none
// of the prefixes.
std::string doubt_about(std::string_view name);
// A message for every variable in `environ` that has a prefix of ours or of the standards and is
// unknown, with the nearest known name. With `prefix`: only for names with that prefix.
std::vector<std::string> unknown_variables(char** environ, std::string_view prefix = {});

}  // namespace gondwana
