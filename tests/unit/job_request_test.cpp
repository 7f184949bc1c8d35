#include "link/job_request.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace gondwana::link {
namespace {

TEST(JobRequest, is_read_as_it_was_written) {
  const Result<JobRequest> grow =
      read_request(write_request({7, GrowJob{4, "/tmp", {"./work", "fast"}}}), 7);
  ASSERT_TRUE(grow);
  const auto& what = std::get<GrowJob>(grow->what);
  EXPECT_EQ(what.ranks, 4);
  EXPECT_EQ(what.folder, "/tmp");
  EXPECT_EQ(what.words, (std::vector<std::string>{"./work", "fast"}));
  const Result<JobRequest> shrink = read_request(write_request({7, ShrinkJob{{1, 3}}}), 7);
  ASSERT_TRUE(shrink);
  EXPECT_EQ(std::get<ShrinkJob>(shrink->what).ranks, (std::vector<std::uint32_t>{1, 3}));
}

TEST(JobRequest, of_another_build_or_job_or_of_any_other_form_is_refused_in_words) {
  const std::string bytes = write_request({7, GrowJob{4, "", {}}});
  std::string other_build = bytes;
  other_build[8] = static_cast<char>(other_build[8] ^ 1);
  EXPECT_NE(read_request(other_build, 7).error().text.find("another build"), std::string::npos);
  EXPECT_NE(read_request(bytes, 8).error().text.find("another job"), std::string::npos);
  EXPECT_FALSE(read_request("", 7));
  EXPECT_FALSE(read_request("hello, job", 7));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_request(std::string_view(bytes).substr(0, length), 7)) << length;
  EXPECT_FALSE(read_request(bytes + "x", 7));
  EXPECT_FALSE(read_request(write_request({7, GrowJob{}}), 7)) << "no ranks";
}

TEST(JobRequest, reaches_the_process_that_listens) {
  const Result<UniqueFd> door = listen_for_requests();
  ASSERT_TRUE(door);
  std::thread guardian([&] {
    int client = -1;
    while ((client = ::accept(door->get(), nullptr, nullptr)) < 0) ::usleep(1000);
    std::string bytes(longest_request, 0);
    const auto got = ::recv(client, bytes.data(), bytes.size(), 0);
    const bool is_read = got > 0 && read_request(bytes.substr(0, static_cast<std::size_t>(got)), 7);
    const std::string answer = write_answer({!is_read, "done"});
    EXPECT_GT(::send(client, answer.data(), answer.size(), 0), 0);
    ::close(client);
  });
  const Result<JobAnswer> answer = ask_guardian(::getpid(), {7, ShrinkJob{{2}}});
  guardian.join();
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_FALSE(answer->is_refused);
  EXPECT_EQ(answer->text, "done");
}

TEST(JobRequest, a_process_that_does_not_listen_is_named) {
  const Result<JobAnswer> answer = ask_guardian(::getppid(), {7, ShrinkJob{{2}}});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().text.find("takes requests"), std::string::npos);
}

}  // namespace
}  // namespace gondwana::link
