#include "core/variable_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/parse.hpp"

namespace gondwana::kinds {
namespace {

// The default of many variables: 0 or empty, which leaves the choice to us.
bool is_automatic(const Variable& variable, std::string_view text) {
  return text == "auto" && text == variable.fallback;
}

// Zero means unset; a user that asks for zero gets the minimum.
Result<std::size_t> within_bounds(const Variable& variable, std::string_view text,
                                  const Result<std::size_t>& size) {
  if (!size) return size;
  if (variable.most != 0 && *size > variable.most)
    return Error{Errc::invalid_argument,
                 fmt::format("\"{}\": expected {}K or less", text, variable.most >> 10)};
  return std::max<std::size_t>(*size, variable.least);
}

}  // namespace

Result<bool> read_switch(const Variable& /*variable*/, std::string_view text) {
  return parse_switch(text);
}

Result<std::uint64_t> read_number(const Variable& variable, std::string_view text) {
  if (is_automatic(variable, text)) return std::uint64_t{0};
  return parse_number(text, variable.least, variable.most);
}

Result<std::size_t> read_size(const Variable& variable, std::string_view text) {
  if (is_automatic(variable, text)) return std::size_t{0};
  return within_bounds(variable, text, parse_size(text));
}

// A larger number means the maximum.
Result<std::size_t> read_capped_size(const Variable& variable, std::string_view text) {
  const Result<std::size_t> size = parse_size(text);
  if (!size) return size.error();
  return std::min(*size, variable.most);
}

Result<std::size_t> read_standard_size(const Variable& variable, std::string_view text) {
  return within_bounds(variable, text, parse_standard_size(text));
}

Result<MemoryLimit> read_process_limit(const Variable& /*variable*/, std::string_view text) {
  return parse_memory_limit(text, LimitScope::process);
}

Result<MemoryLimit> read_host_limit(const Variable& /*variable*/, std::string_view text) {
  return parse_memory_limit(text, LimitScope::host);
}

Result<std::size_t> read_word(const Variable& variable, std::string_view text) {
  const auto words = variable.words;
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  return Error{Errc::invalid_argument,
               fmt::format("\"{}\": expected {} or {}", text,
                           fmt::join(words.first(words.size() - 1), ", "), words.back())};
}

// A list of words, separated by commas, in its written form.
Result<std::string> read_words(const Variable& variable, std::string_view text) {
  if (is_automatic(variable, text)) return std::string();
  for (std::string_view rest = text;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (const auto word = read_word(variable, rest.substr(0, end)); !word) return word.error();
    if (end == rest.size()) return std::string(text);
    rest.remove_prefix(end + 1);
  }
}

Result<Backtrace> read_backtrace(const Variable& /*variable*/, std::string_view text) {
  if (text == "brief") return Backtrace::brief;
  const Result<bool> is_full = parse_switch(text);
  if (is_full) return *is_full ? Backtrace::full : Backtrace::none;
  return Error{Errc::invalid_argument, fmt::format("\"{}\": expected brief, yes or no", text)};
}

Result<std::string> read_text(const Variable& variable, std::string_view text) {
  return std::string(is_automatic(variable, text) ? "" : text);
}

}  // namespace gondwana::kinds
