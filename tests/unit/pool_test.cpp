#include "core/pool.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

TEST(pool, one_that_was_given_back_is_taken_as_it_was_left) {
  Pool<int> pool;
  int& first = pool.take();
  int& second = pool.take();
  ASSERT_NE(&first, &second);
  first = 7;
  pool.give_back(first);
  EXPECT_EQ(pool.in_use(), 1);
  EXPECT_EQ(pool.unused(), 1);
  EXPECT_EQ(&pool.take(), &first);
  EXPECT_EQ(first, 7);
}

TEST(pool, objects_stay_where_they_are_and_are_found_there) {
  Pool<int> pool;
  int& first = pool.take();
  for (int i = 0; i < 1000; ++i) pool.take();
  EXPECT_EQ(pool.find(&first), &first);
  const int other = 0;
  EXPECT_EQ(pool.find(&other), nullptr);
}

}  // namespace
}  // namespace gondwana
