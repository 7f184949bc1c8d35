// Wraps our long lines for terminals, which would break them inside words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gondwana {

// The number of columns of the terminal `fd`; 0 if it is not a terminal or its width is unknown.
std::size_t terminal_width(int fd);

// Breaks long lines at spaces and indents continuation lines by four columns. If `width` is 0 or
// too small for words, nothing is broken.
std::string wrap_lines(std::string_view text, std::size_t width);

}  // namespace gondwana
