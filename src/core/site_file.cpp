#include "core/site_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>  // before toml++, which would hide its declarations
#include <cstddef>
#include <optional>

#include "core/options.hpp"
#include "core/read_file.hpp"
#include "core/variables.hpp"

// Compiled into this file alone, with hidden symbols: programs that link us may have their own
// toml++.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#pragma GCC visibility push(hidden)
#include <toml++/toml.h>
#pragma GCC visibility pop

namespace gondwana {
namespace {

constexpr const char* usual_path = "/etc/gondwana.toml";
constexpr std::size_t longest_file = std::size_t{1} << 20;

// Checks what toml++ assumes and leaves undefined otherwise: that a key follows the bracket of a
// table, and that only comments have letters outside ASCII. Nothing if the text is valid.
std::optional<std::string> problem_of_lines(std::string_view text) {
  constexpr std::string_view mark_of_byte_order = "\xef\xbb\xbf";
  if (text.starts_with(mark_of_byte_order)) text.remove_prefix(mark_of_byte_order.size());
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view whole = text.substr(0, end);
    const std::string_view words = whole.substr(0, whole.find('#'));
    const auto* first = std::ranges::find_if(words, [](char c) { return c > ' ' && c < 0x7f; });
    if (first != words.end() && *first == '[')
      return fmt::format("{}: it begins a table; each line is NAME = VALUE", line);
    if (std::ranges::any_of(words, [](char c) { return (c & 0x80) != 0; }))
      return fmt::format("{}: a character outside a comment is not ASCII", line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::nullopt;
}

// The value in the form of an environment variable; nothing if it has none.
std::optional<std::string> as_text(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* number = value.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* yes = value.as_boolean()) return yes->get() ? "true" : "false";
  return std::nullopt;
}

std::string unknown(std::string_view key) {
  std::string why = doubt_about(key);
  if (why.empty()) why = fmt::format("{} is not a variable of Gondwana", key);
  return why.ends_with('?') ? why : why + "; `gondwana info` lists them";
}

// The variable that a key names, or why it cannot be set here.
Result<const Variable*> variable_of(std::string_view key) {
  const Variable* found = find_variable(key);
  std::string why;
  if (found == nullptr)
    why = unknown(key);
  else if (key != found->name)
    why = fmt::format("{} is another name of {}; use that name here", key, found->name);
  else if (found->environment_only)
    why = fmt::format("{} is read from the environment only; remove it here", key);
  else
    return found;
  return Error{Errc::invalid_argument, std::move(why)};
}

Result<SiteFile::Value> read_value(std::string_view key, const toml::node& node,
                                   std::string_view path) {
  const std::string place = fmt::format("{}:{}", path, node.source().begin.line);
  const auto refuse = [&](std::string_view why) {
    return Error{Errc::invalid_argument, fmt::format("{}: {}", place, why)};
  };
  const Result<const Variable*> found = variable_of(key);
  if (!found) return refuse(found.error().text);
  const Variable& row = **found;
  std::optional<std::string> text = as_text(node);
  if (!text)
    return refuse(
        fmt::format("{} is neither a text nor a number nor true or false; write {} = "
                    "\"VALUE\"",
                    key, key));
  Options unused;
  if (const Result<void> done = row.assign(row, *text, unused); !done)
    return refuse(fmt::format("{} {}", key, done.error().text));
  return SiteFile::Value{&row, *std::move(text), place};
}

}  // namespace

Result<SiteFile> SiteFile::read(const char* named) {
  if (named != nullptr && *named == '\0') return SiteFile();
  const char* path = named != nullptr ? named : usual_path;
  const Result<std::string> content = read_file(path, longest_file);
  if (!content && named == nullptr && content.error().code == Errc::missing) return SiteFile();
  if (content) return parse(*content, path);
  return Error{Errc::refused,
               fmt::format("{} cannot be read: {}; make it readable, or set GONDWANA_CONFIG to "
                           "another file or to nothing",
                           path, content.error().text)};
}

Result<SiteFile> SiteFile::parse(std::string_view text, std::string_view path) {
  if (const std::optional<std::string> doubt = problem_of_lines(text))
    return Error{Errc::invalid_argument, fmt::format("{}:{}", path, *doubt)};
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return Error{Errc::invalid_argument,
                 fmt::format("{}:{}: {}; each line is NAME = VALUE, as in TOML", path,
                             parsed.error().source().begin.line, parsed.error().description())};
  SiteFile site;
  for (const auto& [key, node] : parsed.table()) {
    Result<Value> value = read_value(key.str(), node, path);
    if (!value) return value.error();
    site.values_.push_back(*std::move(value));
  }
  return site;
}

const SiteFile::Value* SiteFile::find(const Variable& variable) const {
  for (const Value& value : values_)
    if (value.variable == &variable) return &value;
  return nullptr;
}

}  // namespace gondwana
