// The format of litmus tests.
#include "litmus/parse.hpp"

#include <gtest/gtest.h>

#include <set>

#include "litmus/outcomes.hpp"

namespace gondwana::litmus {
namespace {

const std::string headers = "promise: none\nclause: none\n";

std::string error_of(const std::string& text) {
  const Result<LitmusTest> test = parse("example", text);
  return test ? "" : test.error().text;
}

TEST(LitmusParse, a_test_has_programs_locations_and_outcomes) {
  const Result<LitmusTest> test = parse("example", headers +
                                                       "relation: rdo\n"
                                                       "initial: x@1=5  # a comment\n"
                                                       "rank 0\n"
                                                       "  put.a x@1 1\n"
                                                       "  set f[2]@1 7\n"
                                                       "rank 1\n"
                                                       "  r0 = get x@1\n"
                                                       "  p y@0 r0\n"
                                                       "forbidden: r0!=1 y@0=mixed\n"
                                                       "allowed: r0=5\n");
  ASSERT_TRUE(test) << test.error().text;
  EXPECT_EQ(test->ranks(), 2);
  const Operation& put = test->programs[0][0];
  EXPECT_EQ(put.act, Act::put);
  EXPECT_EQ(put.context, 'a');
  EXPECT_EQ(put.place.rank, 1);
  EXPECT_EQ(put.value.number, 1);
  EXPECT_EQ(test->programs[1][1].value.reg, 0);
  EXPECT_EQ(test->registers[0].rank, 1);
  EXPECT_EQ(test->initial[0].value, 5);
  // x is an array, because only transfers access it; f has the words that are named.
  EXPECT_TRUE(test->locations[0].is_array);
  EXPECT_FALSE(test->locations[1].is_array);
  EXPECT_EQ(test->locations[1].words, 3);
  EXPECT_EQ(test->observed.size(), 2);
}

TEST(LitmusParse, an_outcome_meets_the_forbidden_condition_first) {
  const Result<LitmusTest> test = parse("example", headers +
                                                       "rank 0\n"
                                                       "  r0 = fetch x@0\n"
                                                       "  r1 = fetch y@0\n"
                                                       "allowed: r0=1\n"
                                                       "forbidden: r0=1 r1!=0\n");
  ASSERT_TRUE(test) << test.error().text;
  EXPECT_EQ(condition_of(*test, {0, 0}), nullptr);
  EXPECT_FALSE(condition_of(*test, {1, 0})->is_forbidden);
  EXPECT_TRUE(condition_of(*test, {1, 1})->is_forbidden);
  EXPECT_EQ(to_string(*test, {1, mixed}), "r0=1 r1=mixed");
  Outcomes outcomes(*test);
  outcomes.add({0, 0});
  outcomes.add({1, 1});
  EXPECT_EQ(outcomes.total(), 2);
  EXPECT_EQ(outcomes.forbidden(), 1);
}

TEST(LitmusParse, words_that_differ_are_mixed) {
  const long same[] = {3, 3, 3};
  const long torn[] = {3, 3, 4};
  EXPECT_EQ(value_of(same, 3), 3);
  EXPECT_EQ(value_of(torn, 3), mixed);
  EXPECT_EQ(value_of(torn, 2), 3);
}

TEST(LitmusParse, errors_name_the_line) {
  EXPECT_EQ(error_of(headers + "put x@0 1\n"), "example.litmus:3: an operation before \"rank 0\"");
  EXPECT_EQ(error_of(headers + "rank 1\n"), "example.litmus:3: expected \"rank 0\"");
  EXPECT_EQ(error_of(headers + "rank 0\npit x@0 1\n"), "example.litmus:4: unknown operation pit");
  EXPECT_EQ(error_of(headers + "rank 0\nput x@0\n"), "example.litmus:4: put has 2 arguments");
  EXPECT_EQ(error_of(headers + "rank 0\nget x@0\n"), "example.litmus:4: get gives a value");
  EXPECT_EQ(error_of(headers + "rank 0\nr0 = put x@0 1\n"), "example.litmus:4: put gives no value");
  EXPECT_EQ(error_of(headers + "rank 0\nset x@0 y\n"),
            "example.litmus:4: set takes a number or a register");
  EXPECT_EQ(error_of(headers + "rank 0\nset x@0 r0\n"),
            "example.litmus:4: this rank has not set r0");
  EXPECT_EQ(error_of(headers + "rank 0\nset x@2 1\nforbidden: x@0=0\n"),
            "example.litmus:5: x is at rank 2, and the test has 1 ranks");
  EXPECT_EQ(error_of(headers + "rank 0\nset x@0 1\nforbidden: r0=0\n"),
            "example.litmus:5: no rank sets r0");
  EXPECT_EQ(error_of(headers + "rank 0\nset x@0 1\n"),
            "example.litmus:4: expected an outcome that is forbidden or allowed");
  EXPECT_EQ(error_of("rank 0\nset x@0 1\n"), "example.litmus:2: expected a promise and a clause");
}

TEST(LitmusParse, all_files_are_read) {
  const Result<std::vector<LitmusTest>> tests = read_tests(LITMUS_FOLDER, "", "");
  ASSERT_TRUE(tests) << tests.error().text;
  std::set<std::string> doors;
  for (const LitmusTest& test : *tests) doors.insert(test.door);
  EXPECT_EQ(doors, (std::set<std::string>{"armci", "gasnet", "shmem"}));
}

}  // namespace
}  // namespace gondwana::litmus
