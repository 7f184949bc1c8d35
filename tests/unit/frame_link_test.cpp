#include "run/remote/frame_link.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gondwana::launch {
namespace {

constexpr std::uint64_t tag = 42;

struct Pipe {
  UniqueFd from;
  UniqueFd to;

  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    from = UniqueFd(ends[0]);
    to = UniqueFd(ends[1]);
  }
};

// Both ends of a connection, and the frames that each received.
class FrameLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    Pipe up;
    Pipe down;
    left.emplace(poller, std::move(up.from), std::move(down.to), tag);
    right.emplace(poller, std::move(down.from), std::move(up.to), tag);
    ASSERT_TRUE(left->start(
        [this](Frame& frame, std::uint64_t /*now*/) { left_got.push_back(std::move(frame)); },
        [this](const std::string& why) { left_end = why; }));
    ASSERT_TRUE(right->start(
        [this](Frame& frame, std::uint64_t /*now*/) { right_got.push_back(std::move(frame)); },
        [this](const std::string& why) { right_end = why; }));
  }

  void run() {
    for (int round = 0; round < 100; ++round) poller.wait(0);
  }

  Poller poller = *Poller::create();
  std::optional<FrameLink> left;
  std::optional<FrameLink> right;
  std::vector<Frame> left_got;
  std::vector<Frame> right_got;
  std::optional<std::string> left_end;
  std::optional<std::string> right_end;
};

TEST_F(FrameLinkTest, frames_pass_both_ways) {
  left->send(Ping{});
  right->send(Said{"hello"});
  run();
  ASSERT_EQ(right_got.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Ping>(right_got[0]));
  ASSERT_EQ(left_got.size(), 1U);
  EXPECT_EQ(std::get<Said>(left_got[0]).sentence, "hello");
}

TEST_F(FrameLinkTest, more_than_a_pipe_holds_passes_without_blocking) {
  const std::string much(1 << 20, 'x');
  left->send(Input{much});
  EXPECT_FALSE(left->has_sent_all());
  left->send(End{});
  run();
  EXPECT_TRUE(left->has_sent_all());
  ASSERT_EQ(right_got.size(), 2U);
  EXPECT_EQ(std::get<Input>(right_got[0]).text, much);
}

TEST_F(FrameLinkTest, a_frame_of_several_links_keeps_its_place_and_lives_once) {
  const std::string much(300'000, 'x');
  auto shared = std::make_shared<const std::string>(encode(Input{much}, tag));
  left->send(shared);
  right->send(shared);
  EXPECT_EQ(shared.use_count(), 3);
  left->send(Said{"a"});
  left->send(shared);
  left->send(End{});
  run();
  ASSERT_EQ(right_got.size(), 4U);
  EXPECT_EQ(std::get<Input>(right_got[0]).text, much);
  EXPECT_EQ(std::get<Said>(right_got[1]).sentence, "a");
  EXPECT_EQ(std::get<Input>(right_got[2]).text, much);
  EXPECT_TRUE(std::holds_alternative<End>(right_got[3]));
  EXPECT_EQ(left_got.size(), 1U);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST_F(FrameLinkTest, the_end_comes_after_the_last_frame) {
  left->send(End{});
  left->close();
  run();
  EXPECT_EQ(right_got.size(), 1U);
  EXPECT_EQ(right_end, "");
  EXPECT_FALSE(right->is_open());
  right->send(Pong{});  // no peer: no signal, no error
}

TEST_F(FrameLinkTest, frames_of_another_job_end_the_connection) {
  Pipe down;
  Pipe up;
  FrameLink stranger(poller, std::move(up.from), std::move(down.to), tag + 1);
  right.emplace(poller, std::move(down.from), std::move(up.to), tag);
  ASSERT_TRUE(right->start(
      [this](Frame& frame, std::uint64_t /*now*/) { right_got.push_back(std::move(frame)); },
      [this](const std::string& why) { right_end = why; }));
  stranger.send(End{});
  run();
  EXPECT_TRUE(right_got.empty());
  EXPECT_EQ(right_end, "a message between the hosts of the job belongs to another job");
}

}  // namespace
}  // namespace gondwana::launch
