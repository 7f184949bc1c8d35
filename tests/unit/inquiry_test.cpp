#include "remote/agent/inquiry.hpp"

#include <gtest/gtest.h>

namespace gondwana::remote {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

NodeReport still(std::uint64_t print, std::uint64_t messages_in_flight = 0) {
  return {.is_still = true, .print = print, .messages_in_flight = messages_in_flight, .text = "a"};
}

// Node 0 of three inquires; a rank of node 1 leaves.
struct Job {
  Inquiry inquiry{0, 3, 20 * second};
  std::uint64_t now_ns = second;
  NodeReport first = still(1);
  NodeReport second_node = {.is_still = true, .any_leaves = true, .print = 2, .text = "b"};
  NodeReport third = still(3);

  // The number of nodes asked.
  int round() {
    now_ns += 5 * second;
    EXPECT_TRUE(inquiry.is_due(now_ns));
    inquiry.begin(first, now_ns);
    int asked = 0;
    while (const auto node = inquiry.next_to_ask(now_ns)) {
      ++asked;
      inquiry.hear(*node, inquiry.round(), *node == 1 ? second_node : third, now_ns);
    }
    return asked;
  }
  bool is_over() const { return inquiry.diagnosis().has_value(); }
};

TEST(Inquiry, two_rounds_that_find_all_nodes_as_they_were_are_enough) {
  Job job;
  EXPECT_EQ(job.round(), 2);
  EXPECT_FALSE(job.is_over());
  job.round();
  EXPECT_EQ(job.inquiry.diagnosis(), "a; b; a");
}

TEST(Inquiry, nodes_that_are_added_must_wait_too) {
  Job job;
  job.round();
  job.inquiry.include(4);
  EXPECT_EQ(job.round(), 3);
  EXPECT_FALSE(job.is_over()) << "the ranks of the new node were not known before";
  job.inquiry.hear_farewell(9, still(1));  // a node that is not known yet
  job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, a_round_that_runs_is_not_due_until_a_node_does_not_answer) {
  Job job;
  Inquiry& inquiry = job.inquiry;
  EXPECT_TRUE(inquiry.is_due(second));
  inquiry.begin(job.first, second);
  EXPECT_EQ(inquiry.next_to_ask(second), 1U);
  EXPECT_FALSE(inquiry.is_due(2 * second));
  EXPECT_FALSE(inquiry.next_to_ask(4 * second));  // too late: the round is over
  EXPECT_FALSE(inquiry.is_due(4 * second));
  EXPECT_TRUE(inquiry.is_due(5 * second));
}

TEST(Inquiry, a_reply_that_is_lost_does_not_undo_what_was_found) {
  Job job;
  job.round();
  job.inquiry.begin(job.first, job.now_ns + second);
  EXPECT_EQ(job.inquiry.next_to_ask(job.now_ns + second), 1U);
  EXPECT_FALSE(job.inquiry.next_to_ask(job.now_ns + 4 * second));
  job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, a_question_that_cannot_be_sent_for_long_ends_the_round) {
  Inquiry inquiry(0, 3, 20 * second);
  inquiry.begin(still(1), second);
  EXPECT_EQ(inquiry.next_to_ask(second), 1U);
  inquiry.ask_again();
  EXPECT_EQ(inquiry.next_to_ask(2 * second), 1U);
  EXPECT_FALSE(inquiry.next_to_ask(2 * second));
  inquiry.ask_again();
  EXPECT_FALSE(inquiry.next_to_ask(4 * second));
  EXPECT_TRUE(inquiry.is_due(5 * second));
}

TEST(Inquiry, a_rank_that_has_gone_on_makes_two_more_rounds_necessary) {
  Job job;
  job.round();
  job.third.print = 4;
  job.round();
  EXPECT_FALSE(job.is_over());
  job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, where_no_rank_leaves_nothing_is_said) {
  Job job;
  job.second_node.any_leaves = false;
  for (int i = 0; i < 5; ++i) job.round();
  EXPECT_FALSE(job.is_over());
}

TEST(Inquiry, a_job_that_no_rank_is_part_of_is_not_stuck) {
  Job job;
  job.first.print = job.second_node.print = job.third.print = 0;  // they take a long time to end
  for (int i = 0; i < 6; ++i) job.round();
  EXPECT_FALSE(job.is_over());
  job.third.print = 3;
  for (int i = 0; i < 2; ++i) job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, mail_under_way_is_waited_for_as_long_as_silence_may_last) {
  Job job;
  job.third = still(3, 1);
  for (int i = 0; i < 4; ++i) job.round();
  EXPECT_FALSE(job.is_over());
  for (int i = 0; i < 2; ++i) job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, mail_that_one_node_has_sent_and_another_received_is_not_under_way) {
  Job job;
  job.first = still(1, 7);
  job.third = still(3, ~std::uint64_t{6});  // -7
  job.round();
  job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, the_node_that_went_on_last_is_asked_first_and_the_others_are_not) {
  Job job;
  job.third = {};
  EXPECT_EQ(job.round(), 2);
  EXPECT_EQ(job.round(), 1);
  job.third = still(3);
  job.round();
  job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, a_node_whose_ranks_have_ended_is_not_asked) {
  Job job;
  job.inquiry.hear_farewell(1, job.second_node);
  EXPECT_EQ(job.round(), 1);
  job.round();
  EXPECT_TRUE(job.is_over());
}

TEST(Inquiry, an_answer_to_an_earlier_round_does_not_count) {
  Job job;
  job.now_ns += second;
  job.inquiry.begin(job.first, job.now_ns);
  const auto node = job.inquiry.next_to_ask(job.now_ns);
  ASSERT_TRUE(node);
  job.inquiry.hear(*node, job.inquiry.round() - 1, job.third, job.now_ns);
  EXPECT_FALSE(job.inquiry.next_to_ask(job.now_ns));  // it still waits for that node
}

}  // namespace
}  // namespace gondwana::remote
