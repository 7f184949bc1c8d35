// Long lines of ours on a terminal, which would break them within words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gondwana {

// Columns of the terminal that `fd` is; 0 where it is none, or its width is not known.
std::size_t terminal_width(int fd);

// Breaks longer lines at spaces, and begins what follows four columns further right. A width of 0,
// or one that has no room for words, breaks none.
std::string wrap_lines(std::string_view text, std::size_t width);

}  // namespace gondwana
