#include "run/io/job_output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/pipe.hpp"

namespace gondwana::launch {
namespace {

class Text : public OutputSink {
 public:
  void write(std::uint32_t /*rank*/, Standard /*which*/, std::string_view text) override {
    all_ += text;
  }
  void say(std::string_view /*sentence*/) override {}
  bool is_full(Standard /*which*/) const override { return false; }
  bool shows_prompts(Standard /*which*/) const override { return false; }
  bool flush() override { return true; }
  int failure() const override { return 0; }
  const std::string& all() const { return all_; }

 private:
  std::string all_;
};

// Ranks that are started again bring new pipes for as long as the job runs.
TEST(JobOutput, a_closed_pipe_is_forgotten_and_an_open_one_is_kept) {
  Result<Poller> poller = Poller::create();
  ASSERT_TRUE(poller);
  Text sink;
  JobOutput output(*poller, sink);
  Result<Pipe> stays = make_pipe("a pipe");
  ASSERT_TRUE(stays);
  ASSERT_TRUE(output.add(0, Standard::output, std::move(stays->from)));
  for (int turn = 0; turn < 3; ++turn) {
    Result<Pipe> ends = make_pipe("a pipe");
    ASSERT_TRUE(ends);
    ASSERT_TRUE(output.add(1, Standard::error, std::move(ends->from)));
    ASSERT_EQ(::write(ends->to.get(), "end", 3), 3);
    ends->to.reset();
    for (int call = 0; call < 100 && output.streams() > 1; ++call) {
      poller->wait(10);
      output.step();
    }
    EXPECT_EQ(output.streams(), 1U);
  }
  ASSERT_EQ(::write(stays->to.get(), "stays\n", 6), 6);
  poller->wait(10);
  EXPECT_EQ(sink.all(), "endendendstays\n");
}

}  // namespace
}  // namespace gondwana::launch
