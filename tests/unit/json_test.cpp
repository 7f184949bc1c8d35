#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace gondwana {
namespace {

TEST(json, text_has_no_controls_and_no_bytes_that_are_no_text) {
  EXPECT_EQ(to_line("\u009b\x7f\033\n"), R"("\u009b\u007f\u001b\n")");
  EXPECT_EQ(to_line(std::string("\0", 1)), R"("\u0000")");
  EXPECT_EQ(to_line("a\xff"), R"("a\ufffd")");
}

TEST(json, members_and_items_of_lists_of_objects_have_lines) {
  const Json ranks{{{"rank", 0}}, {{"rank", 1}}};
  EXPECT_EQ(to_text(Json{{"job", "x"}, {"hosts", {"a", "b", "c"}}, {"ranks", ranks}}),
            "{\n  \"job\": \"x\",\n  \"hosts\": [\"a\",\"b\",\"c\"],\n  \"ranks\": [\n"
            "    {\"rank\":0},\n    {\"rank\":1}\n  ]\n}\n");
  EXPECT_EQ(to_text(Json::array()), "[]\n");
}

TEST(json, numbers_have_three_digits_or_are_null) {
  EXPECT_EQ(to_line(rounded(2.0 / 3)), "0.667");
  EXPECT_EQ(to_line(rounded(std::numeric_limits<double>::quiet_NaN())), "null");
}

}  // namespace
}  // namespace gondwana
