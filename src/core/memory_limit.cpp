#include "core/memory_limit.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

#include "core/parse.hpp"

namespace gondwana {
namespace {

std::string_view without_space_around(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Removes "/P" or "/H" from the end of the text.
std::optional<LimitScope> take_scope(std::string_view& text) {
  if (text.size() < 2 || text[text.size() - 2] != '/') return std::nullopt;
  const int letter = std::toupper(static_cast<unsigned char>(text.back()));
  if (letter != 'P' && letter != 'H') return std::nullopt;
  text = without_space_around(text.substr(0, text.size() - 2));
  return letter == 'P' ? LimitScope::process : LimitScope::host;
}

std::optional<double> parse_plain_number(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (failure != std::errc{} || rest != end) return std::nullopt;
  return number;
}

// A fraction of memory, above 0 and up to 1.
std::optional<double> parse_part(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::optional<double> part = parse_plain_number(text.substr(0, slash));
  if (part && slash != std::string_view::npos) {
    const std::optional<double> divisor = parse_plain_number(text.substr(slash + 1));
    if (!divisor || !(*divisor > 0)) return std::nullopt;
    *part /= *divisor;
  }
  return part && *part > 0 && *part <= 1 ? part : std::nullopt;
}

}  // namespace

std::size_t MemoryLimit::for_each(std::uint32_t processes, std::size_t memory) const {
  const std::size_t all =
      part > 0 ? static_cast<std::size_t>(part * static_cast<double>(memory)) : bytes;
  return scope == LimitScope::host ? all / processes : all;
}

Result<MemoryLimit> parse_memory_limit(std::string_view text, LimitScope otherwise) {
  std::string_view rest = without_space_around(text);
  MemoryLimit limit;
  limit.scope = take_scope(rest).value_or(otherwise);
  if (const std::optional<double> part = parse_part(rest)) {
    limit.part = *part;
    return limit;
  }
  const Result<std::size_t> size = parse_size(rest);
  if (!size || *size == 0)
    return Error{Errc::invalid_argument,
                 fmt::format("\"{}\": expected a size or a part of the memory, for each process or "
                             "for the host, such as 4GB/P or 0.85/H",
                             text)};
  limit.bytes = *size;
  return limit;
}

}  // namespace gondwana
