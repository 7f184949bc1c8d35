// Text from outside, such as arguments of a program or a sentence of another host, before it is
// shown: it may hold what moves the cursor of a terminal, or begins a line of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gondwana {

// How many bytes at the start of `text`, which is not empty, are a character in UTF-8, as RFC 3629
// has it; 0: none.
std::size_t character_length(std::string_view text);

// One line without control characters: "\n" and "\x1b" in place of a line end and an escape. So are
// shown bytes that are no text in UTF-8 and characters that change the direction of others or end a
// line. Text that is printable stays what it is.
std::string printable(std::string_view text);

// The same for text of several lines, whose ends stay.
std::string printable_lines(std::string_view text);

}  // namespace gondwana
