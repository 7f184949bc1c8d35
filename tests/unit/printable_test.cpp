// How text from outside is shown.
#include "core/printable.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

TEST(printable, text_stays_what_it_is) {
  for (const char* text : {"", "./a.out -n 3", "Grüße, 世界 😀", "a\\n"})
    EXPECT_EQ(printable(text), text);
}

TEST(printable, controls_are_shown) {
  EXPECT_EQ(printable("\033]0;owned\a\033[31mRED"), "\\x1b]0;owned\\x07\\x1b[31mRED");
  EXPECT_EQ(printable("one\ntwo\r\tthree\x7f"), "one\\ntwo\\r\\tthree\\x7f");
  EXPECT_EQ(printable({"a\0b", 3}), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");  // ESC [ in one character
  EXPECT_EQ(printable("\u202egnp.\u2028"), "\\xe2\\x80\\xaegnp.\\xe2\\x80\\xa8");
}

TEST(printable, bytes_that_are_no_text_are_shown) {
  EXPECT_EQ(printable("\x9b\xff\xc3"), "\\x9b\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
}

TEST(printable, ends_of_lines_stay_where_lines_are_wanted) {
  EXPECT_EQ(printable_lines("one\n\033two\n"), "one\n\\x1btwo\n");
}

}  // namespace
}  // namespace gondwana
