#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gondwana::gasnet::tools {

// With `unit` 0, the text is a whole number, in hexadecimal after 0x. Otherwise it is a size that
// may have a fraction. One of K, M, G, T, P or E (powers of 1024, in either case) may follow, then
// "B" or "iB". Without a suffix the number counts units of `unit` bytes. Empty if malformed or too
// large.
std::optional<std::int64_t> parse_number(std::string_view text, std::uint64_t unit);

// Parses a number as strtod does, or two such numbers with a slash between them.
std::optional<double> parse_fraction(std::string_view text);

}  // namespace gondwana::gasnet::tools
