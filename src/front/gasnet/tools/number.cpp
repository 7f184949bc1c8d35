#include "front/gasnet/tools/number.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gasnet_tools.h"

namespace gondwana::gasnet::tools {
namespace {

constexpr std::string_view unit_letters = "KMGTPE";  // powers of 1024

void skip_spaces(std::string_view& text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
}

bool take(std::string_view& text, char lower_case) {
  if (text.empty() || std::tolower(static_cast<unsigned char>(text.front())) != lower_case)
    return false;
  text.remove_prefix(1);
  return true;
}

// Removes a number from the front of `text` and returns it.
template <typename Number, typename... Format>
std::optional<Number> take_number(std::string_view& text, Format... format) {
  Number number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, format...);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The unit named by `text` in bytes, or `otherwise` if it names none.
std::optional<std::uint64_t> parse_unit(std::string_view text, std::uint64_t otherwise) {
  skip_spaces(text);
  if (text.empty()) return otherwise;
  std::uint64_t bytes = 1;
  for (std::size_t i = 0; i < unit_letters.size(); ++i) {
    if (!take(text, static_cast<char>(std::tolower(unit_letters[i])))) continue;
    bytes <<= 10 * (i + 1);
    if (!text.empty() && take(text, 'i') && text.empty()) return std::nullopt;  // "Ki"
    break;
  }
  take(text, 'b');
  skip_spaces(text);
  if (!text.empty()) return std::nullopt;
  return bytes;
}

std::optional<std::int64_t> with_sign(std::uint64_t value, bool is_negative) {
  constexpr auto most = static_cast<std::uint64_t>(INT64_MAX);
  if (value > most + (is_negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

// Parses a number, an optional fraction and an optional unit.
std::optional<std::uint64_t> parse_size(std::string_view text, std::uint64_t unit) {
  std::string_view rest = text;
  const auto whole = take_number<std::uint64_t>(rest);
  if (rest.empty() || rest.front() != '.') {
    const auto bytes = parse_unit(rest, unit);
    std::uint64_t product = 0;
    if (!whole || !bytes || __builtin_mul_overflow(*whole, *bytes, &product)) return std::nullopt;
    return product;
  }
  const auto number = take_number<double>(text, std::chars_format::fixed);
  const auto bytes = parse_unit(text, unit);
  if (!number || !bytes) return std::nullopt;
  const double product = *number * static_cast<double>(*bytes) + 0.5;
  if (product >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(product);
}

std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  const auto value = take_number<std::uint64_t>(text, 16);
  skip_spaces(text);
  return text.empty() ? value : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_number(std::string_view text, std::uint64_t unit) {
  skip_spaces(text);
  const bool is_negative = take(text, '-');
  if (!is_negative) take(text, '+');
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0)
    return std::nullopt;
  std::optional<std::uint64_t> value;
  std::uint64_t factor = 1;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    value = parse_hexadecimal(text.substr(2));
    factor = unit == 0 ? 1 : unit;
  } else if (unit != 0) {
    value = parse_size(text, unit);
  } else {
    value = take_number<std::uint64_t>(text);
    skip_spaces(text);
    if (!text.empty()) return std::nullopt;
  }
  std::uint64_t product = 0;
  if (!value || __builtin_mul_overflow(*value, factor, &product)) return std::nullopt;
  return with_sign(product, is_negative);
}

std::optional<double> parse_fraction(std::string_view text) {
  const std::string copy(text);  // strtod needs a terminating null
  char* end = nullptr;
  const double numerator = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::nullopt;
  double denominator = 1;
  if (*end == '/') {
    const char* after = end + 1;
    denominator = std::strtod(after, &end);
    if (end == after || denominator == 0) return std::nullopt;
  }
  std::string_view rest(end);
  skip_spaces(rest);
  if (!rest.empty()) return std::nullopt;
  return numerator / denominator;
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

char* gasnett_format_number(std::int64_t value, char* buffer, std::size_t size, int is_size) {
  if (is_size == 0) {
    std::snprintf(buffer, size, "%" PRId64, value);
    return buffer;
  }
  std::size_t unit = 0;  // powers of 1024
  while (unit < unit_letters.size() && value != 0 && value % 1024 == 0) {
    value /= 1024;
    ++unit;
  }
  const std::string name = unit == 0 ? "B" : std::string(1, unit_letters[unit - 1]) + "B";
  std::snprintf(buffer, size, "%" PRId64 " %s", value, name.c_str());
  return buffer;
}

std::int64_t gasnett_parse_int(const char* text, std::uint64_t unit) {
  const std::optional<std::int64_t> value = parse_number(text, unit);
  if (!value)
    gasnett_fatalerror_nopos(
        "gasnett_parse_int: \"%s\": expected %s", text,
        unit == 0 ? "a whole number such as 8192 or 0x2000" : "a size such as 8192B, 8KB or 1.5MB");
  return *value;
}
