// Text from users to numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gondwana::gasnet::tools {

// Where `unit` is 0: a whole number, in hexadecimal after 0x. Else a size: it may have a fraction
// and K, M, G, T, P or E behind it in either case, powers of 1024, then "B" or "iB"; without any of
// them it counts in units of `unit` bytes. Nothing where it is anything else or too large.
std::optional<std::int64_t> parse_number(std::string_view text, std::uint64_t unit);

// A number as strtod reads it, or two of them with a slash between.
std::optional<double> parse_fraction(std::string_view text);

}  // namespace gondwana::gasnet::tools
