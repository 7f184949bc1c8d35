#include "core/quiet_look.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace gondwana {
namespace {

TEST(quiet_look, is_allowed_so_often) {
  std::atomic<std::uint32_t> word{7};
  QuietLook look;
  EXPECT_FALSE(look.is_quiet());
  look.begin();
  look.watch(word);
  EXPECT_FALSE(look.is_quiet());
  look.allow(2);
  EXPECT_TRUE(look.is_quiet());
  EXPECT_TRUE(look.is_quiet());
  EXPECT_FALSE(look.is_quiet());
}

TEST(quiet_look, ends_where_a_word_changes) {
  std::atomic<std::uint32_t> first{1};
  std::atomic<std::uint32_t> second{2};
  QuietLook look;
  look.begin();
  look.watch(first);
  look.watch(second);
  look.allow(10);
  EXPECT_TRUE(look.is_quiet());
  second = 3;
  EXPECT_FALSE(look.is_quiet());
  second = 2;
  EXPECT_FALSE(look.is_quiet()) << "a thorough look is due";
}

TEST(quiet_look, sees_what_changes_before_it_is_allowed) {
  std::atomic<std::uint32_t> word{1};
  QuietLook look;
  look.begin();
  look.watch(word);
  word = 2;
  look.allow(10);
  EXPECT_FALSE(look.is_quiet());
}

TEST(quiet_look, of_too_many_words_is_never_allowed) {
  std::deque<std::atomic<std::uint32_t>> words(1000);
  QuietLook look;
  look.begin();
  for (const auto& word : words) look.watch(word);
  look.allow(10);
  EXPECT_FALSE(look.is_quiet());
  look.begin();
  look.watch(words[0]);
  look.allow(10);
  EXPECT_TRUE(look.is_quiet());
  look.begin();
  look.forget();
  look.watch(words[0]);
  look.allow(10);
  EXPECT_FALSE(look.is_quiet());
}

}  // namespace
}  // namespace gondwana
