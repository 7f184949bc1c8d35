#include "run/node/request_desk.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <optional>

namespace gondwana::launch {
namespace {

class Desk : public testing::Test {
 protected:
  Desk() {
    const Result<void> opened = desk_.open();
    EXPECT_TRUE(opened) << opened.error().text;
  }

  // Serves until there is an answer.
  link::JobAnswer ask(const link::JobRequest& request) {
    auto answer =
        std::async(std::launch::async, [&] { return link::ask_guardian(::getpid(), request); });
    while (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) poller_.wait(10);
    Result<link::JobAnswer> got = answer.get();
    EXPECT_TRUE(got);
    return got ? *got : link::JobAnswer{};
  }

  Poller poller_ = *Poller::create();
  std::uint32_t job_ = 7;
  std::optional<link::JobRequest> taken_;
  RequestDesk desk_{poller_,
                    {.job_number = [this] { return job_; },
                     .take =
                         [this](std::uint32_t asker, link::JobRequest&& request) {
                           taken_ = std::move(request);
                           EXPECT_GE(asker, RequestDesk::first_asker);
                           desk_.answer(asker, {false, "done"});
                         }}};
};

TEST_F(Desk, a_request_of_the_own_user_is_taken_and_answered) {
  const link::JobAnswer answer = ask({7, link::ShrinkJob{{1}}});
  EXPECT_FALSE(answer.is_refused);
  EXPECT_EQ(answer.text, "done");
  ASSERT_TRUE(taken_);
  EXPECT_EQ(std::get<link::ShrinkJob>(taken_->what).ranks, std::vector<std::uint32_t>{1});
  EXPECT_EQ(desk_.describe_refused(), "");
}

TEST_F(Desk, other_requests_are_refused_in_words_and_counted) {
  EXPECT_NE(ask({8, link::ShrinkJob{{1}}}).text.find("another job"), std::string::npos);
  job_ = 0;
  EXPECT_NE(ask({7, link::ShrinkJob{{1}}}).text.find("no rank has joined"), std::string::npos);
  EXPECT_FALSE(taken_);
  EXPECT_EQ(desk_.describe_refused(),
            "2 requests to the job were refused: 0 of other users, 2 of another build or form");
}

}  // namespace
}  // namespace gondwana::launch
