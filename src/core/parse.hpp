// Text from users to values: sizes, numbers, yes and no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// "8192", "8K", "1.5m", "64MiB", "2 GB": a number, then k, m, g or t in either case, always powers
// of 1024, then an optional "B" or "iB". No sign, no overflow, nothing after it.
Result<std::size_t> parse_size(std::string_view text);

// As OpenSHMEM spells sizes: a number that may have a fraction or an exponent, then k, m, g or t in
// either case, powers of 1024; what follows that letter does not matter. Rounded up.
Result<std::size_t> parse_standard_size(std::string_view text);

// A whole number in decimal, from `least` to `most`.
Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t least, std::uint64_t most);

// 1, yes, on, true, y / 0, no, off, false, n, in either case.
Result<bool> parse_switch(std::string_view text);

// The candidate that is spelled most like `name`, or an empty view if none is near.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace gondwana
