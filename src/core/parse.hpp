// Converts text from users to values: sizes, numbers, booleans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// "8192", "8K", "1.5m", "64MiB", "2 GB": a number, an optional k, m, g or t in either case (powers
// of 1024), and an optional "B" or "iB". No sign, no overflow, nothing after it.
Result<std::size_t> parse_size(std::string_view text);

// A size in OpenSHMEM's notation: a number with an optional fraction or exponent, then an optional
// k, m, g or t in either case (powers of 1024). Text after that letter is ignored. Rounded up.
Result<std::size_t> parse_standard_size(std::string_view text);

// A decimal integer from `least` to `most`.
Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t least, std::uint64_t most);

// 1, yes, on, true, y / 0, no, off, false, n, in either case.
Result<bool> parse_switch(std::string_view text);

// The candidate with the spelling nearest to `name`; an empty view if none is near.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace gondwana
