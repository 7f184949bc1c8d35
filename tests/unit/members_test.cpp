#include "engine/teams/members.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gondwana::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers numbers(const Members& members) {
  Numbers result;
  for (std::uint32_t member = 0; member < members.size; ++member)
    result.push_back(members.number_of(member));
  return result;
}

TEST(Members, numbers_at_equal_steps_need_no_list) {
  for (const Numbers& equal : {Numbers{5}, Numbers{5, 2}, Numbers{1, 4, 7}, Numbers{9, 7, 5, 3}}) {
    const Members members = Members::of(equal);
    EXPECT_EQ(members.list, nullptr);
    EXPECT_EQ(numbers(members), equal);
  }
  EXPECT_EQ(Members::of({}).size, 0);
}

TEST(Members, a_list_keeps_its_order_and_finds_each_number) {
  const Numbers list{8, 1, 5, 3};
  const Members members = Members::of(list);
  EXPECT_EQ(numbers(members), list);
  for (std::uint32_t member = 0; member < members.size; ++member)
    EXPECT_EQ(members.find(list[member]), member);
  for (const std::uint32_t absent : {0U, 2U, 4U, 9U, ~0U}) EXPECT_FALSE(members.find(absent));
  EXPECT_EQ(members.ends(), std::pair(1U, 8U));
}

TEST(Members, numbers_at_equal_steps_end_with_the_first_and_the_last) {
  EXPECT_EQ((Members{7, -2, 3}).ends(), std::pair(7U, 3U));
  EXPECT_EQ((Members{2, 4, 2}).ends(), std::pair(2U, 6U));
}

TEST(Members, members_of_a_team_are_ranks_by_way_of_it) {
  const Members falling{10, -2, 6};
  const Members list = Members::of(Numbers{8, 1, 5, 3});
  EXPECT_EQ(numbers((Members{1, 2, 3}).within(falling)), (Numbers{8, 4, 0}));
  EXPECT_EQ(numbers((Members{3, -1, 3}).within(list)), (Numbers{3, 5, 1}));
  EXPECT_EQ(numbers(Members::of(Numbers{0, 5, 1}).within(falling)), (Numbers{10, 0, 8}));
  EXPECT_EQ(numbers(Members::of(Numbers{2, 0, 3}).within(list)), (Numbers{5, 8, 3}));
  EXPECT_EQ((Members{1, 2, 2}).within(list).list, nullptr) << "it has equal steps again";
}

}  // namespace
}  // namespace gondwana::test
