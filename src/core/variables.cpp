#include "core/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/options.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

// Variables with our prefix should be known. Clients of GASNet have many of their own with its
// prefix, so there only a near misspelling of a known one is doubtful.
struct Prefix {
  std::string_view text;
  std::string_view verdict;
  bool only_if_near;
};
constexpr std::array prefixes{Prefix{"GONDWANA_", "is not a variable of Gondwana", false},
                              Prefix{"SHMEM_", "is not read by Gondwana", false},
                              Prefix{"SMA_", "is not read by Gondwana", false},
                              Prefix{"GASNET_", "is not read by Gondwana", true}};

// The names that begin with `prefix`, without it, because the prefix would make all of them
// similar.
std::vector<std::string_view> names_after(std::string_view prefix) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  };
  for (const Variable& row : variables()) {
    add(row.name);
    for (const char* alias : row.aliases) add(alias);
  }
  return names;
}

}  // namespace

std::string doubt_about(std::string_view name) {
  const auto* prefix =
      std::ranges::find_if(prefixes, [&](const Prefix& one) { return name.starts_with(one.text); });
  if (prefix == prefixes.end()) return {};
  if (std::ranges::find(internal_variables(), name) != internal_variables().end()) return {};
  const std::vector<std::string_view> known = names_after(prefix->text);
  const std::string_view own_part = name.substr(prefix->text.size());
  if (std::ranges::find(known, own_part) != known.end()) return {};
  const std::string_view likely = nearest(own_part, known);
  if (likely.empty())
    return prefix->only_if_near ? "" : fmt::format("{} {}", name, prefix->verdict);
  return fmt::format("{} {}; did you mean {}{}?", name, prefix->verdict, prefix->text, likely);
}

const Variable& variable(VariableId id) {
  return variables()[static_cast<std::size_t>(id)];
}

const Variable* find_variable(std::string_view name) {
  const auto found = std::ranges::find_if(variables(), [&](const Variable& row) {
    return name == row.name || std::ranges::find(row.aliases, name) != row.aliases.end();
  });
  return found == variables().end() ? nullptr : &*found;
}

Environment Environment::with_site_file(Lookup lookup) {
  Environment environment(std::move(lookup));
  const char* named = environment(variable(VariableId::gondwana_config).name);
  environment.site_ = std::make_shared<const Result<SiteFile>>(SiteFile::read(named));
  return environment;
}

const SiteFile::Value* Environment::site_value(const Variable& variable) const {
  return site_ != nullptr && *site_ ? (*site_)->find(variable) : nullptr;
}

Result<void> Environment::check_site_file() const {
  if (site_ != nullptr && !*site_) return site_->error();
  return {};
}

// Never destroyed: functions that run at exit read variables too.
const Environment& own_environment() {
  static const Environment& instance = *new Environment(
      Environment::with_site_file([](const char* name) { return std::getenv(name); }));
  return instance;
}

std::string_view Setting::origin() const {
  if (!variable.empty()) return variable;
  return place.empty() ? "default" : place;
}

Setting setting_of(const Variable& variable, const Environment& environment) {
  const auto is_set = [&](std::string_view name, const char* text) {
    return text != nullptr && (*text != '\0' || !name.starts_with("GASNET_"));
  };
  const char* text = environment(variable.name);
  if (is_set(variable.name, text)) return {variable.name, {}, text};
  for (const char* alias : variable.aliases)
    if (text = environment(alias); is_set(alias, text)) return {alias, {}, text};
  if (const SiteFile::Value* site = environment.site_value(variable))
    return {{}, site->place, site->text};
  return {{}, {}, variable.fallback};
}

Setting own_setting(VariableId id) {
  return setting_of(variable(id), own_environment());
}

Result<void> read_option(VariableId id, const Environment& environment, Options& options) {
  if (Result<void> fine = environment.check_site_file(); !fine) return fine;
  const Variable& row = variable(id);
  const Setting setting = setting_of(row, environment);
  const bool by_alias = !setting.variable.empty() && setting.variable != row.name;
  const std::string_view value = by_alias && row.alias_means_yes ? "yes" : setting.value;
  const Result<void> done = (by_alias ? row.assign_alias : row.assign)(row, value, options);
  if (done) return {};
  return Error{Errc::invalid_argument, fmt::format("{} {}", setting.variable, done.error().text)};
}

Result<Options> read_options(const Environment& environment, std::optional<Reader> also) {
  Options options;
  std::size_t number = 0;
  for (const Variable& row : variables()) {
    const auto id = static_cast<VariableId>(number++);
    if (row.reader != Reader::ranks && row.reader != also) continue;
    if (const Result<void> done = read_option(id, environment, options); !done) return done.error();
  }
  return options;
}

std::vector<std::string> unknown_variables(char** environ, std::string_view prefix) {
  std::vector<std::string> sentences;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with(prefix)) continue;
    if (const std::string doubt = doubt_about(name); !doubt.empty()) sentences.push_back(doubt);
  }
  return sentences;
}

}  // namespace gondwana
