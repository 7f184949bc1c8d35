// Makes text from outside safe to show, such as program arguments or messages of another host. It
// may contain escape sequences or line breaks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gondwana {

// The number of bytes of the UTF-8 character (RFC 3629) at the start of `text`, which is not empty;
// 0 if it is invalid.
std::size_t character_length(std::string_view text);

// One line without control characters: "\n" and "\x1b" replace a line end and an escape. Invalid
// UTF-8 and characters that change the text direction or end a line are escaped too. Printable text
// is unchanged.
std::string printable(std::string_view text);

// The same for text of several lines. The line ends stay.
std::string printable_lines(std::string_view text);

}  // namespace gondwana
