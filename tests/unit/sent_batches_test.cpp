#include "remote/client/sent_batches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace gondwana::remote {
namespace {

class SentBatchesOfARank : public testing::Test {
 protected:
  // A batch of one request, which is numbered over all nodes.
  void send(std::uint64_t request, Completion& done, std::size_t bytes = 100) {
    batches_.open(request);
    done.begin();
    batches_.last().done.push_back(&done);
    batches_.close(bytes);
  }

  Traffic traffic_{};
  SentBatches batches_{traffic_};
};

TEST_F(SentBatchesOfARank, one_answer_completes_all_before_it) {
  std::array<Completion, 3> done;
  for (std::size_t i = 0; i < done.size(); ++i) send(i + 1, done[i]);
  EXPECT_EQ(batches_.bytes(), 300);
  EXPECT_EQ(traffic_.pending, 3);
  EXPECT_TRUE(batches_.answer(2, {}));
  EXPECT_TRUE(done[0].done());
  EXPECT_TRUE(done[1].done());
  EXPECT_FALSE(done[2].done());
  EXPECT_TRUE(batches_.has_executed(2));
  EXPECT_FALSE(batches_.has_executed(3));
  EXPECT_EQ(batches_.bytes(), 100);
  EXPECT_EQ(batches_.next_number(), 4);
  EXPECT_FALSE(batches_.answer(2, {})) << "it was answered";
  EXPECT_FALSE(batches_.answer(4, {})) << "it was not sent";
  EXPECT_TRUE(batches_.answer(3, {}));
  EXPECT_EQ(traffic_.pending, 0);
}

TEST_F(SentBatchesOfARank, results_that_come_late_hold_up_what_follows_in_its_order) {
  std::array<Completion, 2> done;
  std::uint32_t result = 0;
  batches_.open(1);
  done[0].begin();
  batches_.last().done.push_back(&done[0]);
  const Destination word{
      .pieces = {.size = sizeof(result), .count = 1, .here = reinterpret_cast<std::byte*>(&result)},
      .is_word = true};
  batches_.last().results.push_back(word);
  batches_.last().result_size = word.result_size();
  batches_.close(10);
  send(2, done[1]);
  EXPECT_EQ(batches_.bytes_of_results(), sizeof(ResultWord));
  EXPECT_TRUE(batches_.answer(2, {}));
  EXPECT_TRUE(batches_.has_executed(2));
  EXPECT_FALSE(done[0].done());
  EXPECT_FALSE(done[1].done());
  std::array<std::byte, sizeof(ResultWord)> bytes{};
  EXPECT_FALSE(batches_.answer(1, Bytes(bytes).first(1))) << "results of another length";
  bytes[0] = std::byte{5};
  EXPECT_TRUE(batches_.answer(1, bytes));
  EXPECT_EQ(result, 5);
  EXPECT_TRUE(done[0].done());
  EXPECT_TRUE(done[1].done());
}

TEST_F(SentBatchesOfARank, what_is_lost_fails_and_later_numbers_go_on) {
  Completion done;
  send(1, done);
  const Error loss{Errc::peer_lost, "gone"};
  batches_.lose(loss);
  EXPECT_TRUE(done.done());
  EXPECT_EQ(done.take_loss(), &loss);
  EXPECT_EQ(batches_.bytes(), 0);
  EXPECT_EQ(batches_.next_number(), 2);
  EXPECT_FALSE(batches_.answer(1, {}));
}

}  // namespace
}  // namespace gondwana::remote
