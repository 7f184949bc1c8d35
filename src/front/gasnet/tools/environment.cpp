#include "front/gasnet/tools/environment.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "core/parse.hpp"
#include "front/gasnet/tools/number.hpp"
#include "gasnet_tools.h"
#include "process/message.hpp"

namespace gondwana::gasnet::tools {
namespace {

// Whether a variable is reported for the first time. The set is never destroyed, because exit
// handlers read variables too.
bool is_first_report(const char* name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names.insert(name).second;
}

void report(const char* name, const std::string& value, bool is_default) {
  if (gasnett_verboseenv() && is_first_report(name))
    gasnett_envstr_display(name, value.c_str(), is_default);
}

std::string format(std::int64_t value, bool is_size) {
  std::array<char, 48> buffer;
  return gasnett_format_number(value, buffer.data(), buffer.size(), is_size);
}

std::string format(double value) {
  std::array<char, 48> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%g", value);
  return buffer.data();
}

[[noreturn]] void refuse(const char* name, const char* value, const char* expected) {
  gasnett_fatalerror_nopos("%s \"%s\": expected %s", name, value, expected);
}

// The value of a variable, or null if it is unset or empty.
const char* value_of(const char* name) {
  const char* value = gasnett_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::optional<bool> read_switch(std::string_view text) {
  const Result<bool> value = gondwana::parse_switch(text);
  return value ? std::optional(*value) : std::nullopt;
}

// Parses the value of a variable. `expected` describes the format for the error message.
template <typename Parse>
auto parsed(const char* name, const char* expected, Parse parse) {
  const char* text = value_of(name);
  auto value = text != nullptr ? parse(text) : std::nullopt;
  if (text != nullptr && !value) refuse(name, text, expected);
  return value;
}

}  // namespace

bool is_on(VariableId id) {
  const Result<bool> value = parse_switch(own_setting(id).value);
  return value && *value;
}

void report(VariableId id) {
  const Variable& row = variable(id);
  const bool is_theirs = std::string_view(row.name).starts_with("GASNET_");
  const Setting setting = own_setting(id);
  const bool may_be_switch = row.fallback == "no" || id == VariableId::gondwana_backtrace;
  const bool is_switch = may_be_switch && gondwana::parse_switch(setting.value);
  report(is_theirs ? row.name : row.aliases.back(),
         is_switch ? (is_on(id) ? "YES" : "NO") : std::string(setting.value), setting.is_default());
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

char* gasnett_getenv(const char* name) {
  return std::getenv(name);
}

char* gasnett_getenv_withdefault(const char* name, const char* otherwise) {
  char* value = gasnett_getenv(name);
  char* result = value != nullptr ? value : const_cast<char*>(otherwise);
  report(name, result != nullptr ? result : "", value == nullptr);
  return result;
}

int gasnett_getenv_yesno_withdefault(const char* name, int otherwise) {
  const auto value = parsed(name, "yes or no (y, n, on, off, 1, 0)", read_switch);
  const bool result = value.value_or(otherwise != 0);
  report(name, result ? "YES" : "NO", !value);
  return result ? 1 : 0;
}

std::int64_t gasnett_getenv_int_withdefault(const char* name, std::int64_t otherwise,
                                            std::uint64_t unit) {
  const char* expected =
      unit == 0 ? "a whole number such as 8192 or 0x2000" : "a size such as 8192B, 8KB or 1.5MB";
  const auto value =
      parsed(name, expected, [unit](std::string_view text) { return parse_number(text, unit); });
  const std::int64_t result = value.value_or(otherwise);
  report(name, format(result, unit != 0), !value);
  return result;
}

double gasnett_getenv_dbl_withdefault(const char* name, double otherwise) {
  const auto value = parsed(name, "a number such as 1.5, -1e4 or 3/8", parse_fraction);
  const double result = value.value_or(otherwise);
  report(name, format(result), !value);
  return result;
}

void gasnett_setenv(const char* name, const char* value) {
  if (setenv(name, value, 1) != 0)
    gasnett_fatalerror_nopos("gasnett_setenv: \"%s\" cannot be set: %s", name,
                             std::strerror(errno));
}

void gasnett_unsetenv(const char* name) {
  if (unsetenv(name) != 0)
    gasnett_fatalerror_nopos("gasnett_unsetenv: \"%s\": %s", name, std::strerror(errno));
}

int gasnett_verboseenv() {
  return is_on(gondwana::VariableId::gasnet_verboseenv) && gondwana::own_rank().value_or(0) == 0;
}

void gasnett_envstr_display(const char* name, const char* value, int is_default) {
  if (!gasnett_verboseenv()) return;
  gondwana::say("%s = %s%s", name, value != nullptr ? value : "",
                is_default != 0 ? " (default)" : "");
}

void gasnett_envint_display(const char* name, std::int64_t value, int is_default, int is_size) {
  gasnett_envstr_display(name, format(value, is_size != 0).c_str(), is_default);
}

void gasnett_envdbl_display(const char* name, double value, int is_default) {
  gasnett_envstr_display(name, format(value).c_str(), is_default);
}
