// The environment variables that users may set: one table for all doors and commands, made from
// api/variables.toml. GONDWANA_ names win over the names that other libraries gave the same thing.
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

// What reads a variable: every rank, or only ranks of one door, or another program.
enum class Reader : std::uint8_t { ranks, gasnet, launcher, profile, python, all };

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
// The variable with this name, or this other name; null: there is none.
const Variable* find_variable(std::string_view name);

// Variables that the processes of a job pass on to each other.
std::span<const char* const> internal_variables();

// Where values come from: the variables of a process, then the file of its site.
class Environment {
 public:
  using Lookup = std::function<const char*(const char*)>;  // the value of a variable, or null

  Environment() = default;  // nothing is set
  // Without a site file.
  template <std::invocable<const char*> Function>
    requires(!std::same_as<Function, Environment>)
  Environment(Function lookup)
      : lookup_(std::move(lookup)) {}  // NOLINT(google-explicit-constructor)
  // With the site file that the variables name. What is wrong with it, read_options() says.
  static Environment with_site_file(Lookup lookup);

  const char* operator()(const char* name) const { return lookup_ ? lookup_(name) : nullptr; }
  // What the site file says of a variable, or null.
  const SiteFile::Value* site_value(const Variable& variable) const;
  Result<void> check_site_file() const;

 private:
  Lookup lookup_;
  std::shared_ptr<const Result<SiteFile>> site_;  // null: none
};

// That of this process, with the site file as it was at the first call.
const Environment& own_environment();

// The value that a variable has, as text. It lives as long as the environment stays as it is.
struct Setting {
  std::string_view variable;  // of the environment that gave it, or
  std::string_view place;     // line of the site file; empty as well: it is the default
  std::string_view value;

  bool is_default() const { return variable.empty() && place.empty(); }
  std::string_view origin() const;  // the one that is set, or "default"
};

// An empty value of a name of GASNet counts as none. Allocates nothing: handlers of signals may
// ask.
Setting setting_of(const Variable& variable, const Environment& environment);
Setting own_setting(VariableId id);  // in this process

// Reads one variable. The error names where the value came from, what it said and what was
// expected.
Result<void> read_option(VariableId id, const Environment& environment, Options& options);

// Reads the variables of all ranks and, if asked, those of one more reader.
Result<Options> read_options(const Environment& environment,
                             std::optional<Reader> also = std::nullopt);

// Why `name` is no variable, with the nearest one. Empty: it is one, or does not begin like one.
std::string doubt_about(std::string_view name);
// A sentence for every variable in `environ` that begins like ours, or like those of the standards,
// and is none, with the nearest known. With `prefix`: for those that begin with it.
std::vector<std::string> unknown_variables(char** environ, std::string_view prefix = {});

}  // namespace gondwana
