#include "bootstrap/pmi1.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/unique_fd.hpp"

namespace gondwana {
namespace {

// The launcher's end of PMI_FD with its answer to each command. Commands without an answer get the
// default answer of a launcher.
class FakeServer {
 public:
  using Answers = std::map<std::string, std::string, std::less<>>;

  explicit FakeServer(Answers answers = {}) : answers_(std::move(answers)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = UniqueFd(ends[0]);
    theirs_ = UniqueFd(ends[1]);
    thread_ = std::thread([this] { serve(); });
  }

  ~FakeServer() {
    ::shutdown(theirs_.get(), SHUT_RDWR);
    thread_.join();
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  Result<Pmi1> open() const { return Pmi1::open(theirs_.get(), 1, 3, Deadline(20)); }

  std::vector<std::string> heard() {
    const std::scoped_lock lock(mutex_);
    return heard_;
  }

 private:
  void serve() {
    std::string line;
    for (char letter = 0; ::recv(ours_.get(), &letter, 1, 0) == 1;) {
      if (letter != '\n') {
        line += letter;
        continue;
      }
      const std::string answer = answer_to(line);
      {
        const std::scoped_lock lock(mutex_);
        heard_.push_back(std::exchange(line, {}));
      }
      if (answer == "hang up") ::shutdown(ours_.get(), SHUT_RDWR);
      // One character at a time: a line may arrive in any pieces.
      for (const char part : answer) ::send(ours_.get(), &part, 1, MSG_NOSIGNAL);
    }
  }

  std::string answer_to(std::string_view line) {
    const std::string command(find_in_line(line, "cmd").value_or("nothing"));
    if (const auto found = answers_.find(command); found != answers_.end()) return found->second;
    if (command == "put")
      values_[std::string(*find_in_line(line, "key"))] = *find_in_line(line, "value");
    if (command == "get") {
      return "cmd=get_result rc=0 msg=success value=" +
             values_[std::string(*find_in_line(line, "key"))] + "\n";
    }
    static const Answers usual{
        {"init", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"},
        {"get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n"},
        {"get_my_kvsname", "cmd=my_kvsname kvsname=job_7\n"},
        {"put", "cmd=put_result rc=0 msg=success\n"},
        {"barrier_in", "cmd=barrier_out\n"},
        {"finalize", "cmd=finalize_ack\n"},
    };
    const auto found = usual.find(command);
    return found == usual.end() ? std::string() : found->second;
  }

  Answers answers_;
  std::map<std::string, std::string> values_;
  UniqueFd ours_;
  UniqueFd theirs_;
  std::mutex mutex_;
  std::vector<std::string> heard_;  // under the mutex
  std::thread thread_;
};

std::string refusal(FakeServer::Answers answers) {
  const FakeServer server(std::move(answers));
  const Result<Pmi1> session = server.open();
  EXPECT_FALSE(session);
  return session ? "" : session.error().text;
}

TEST(pmi1, a_value_is_found_by_its_whole_name) {
  constexpr std::string_view line = "cmd=maxes vallen_max=1024 max=7 word x=a=b empty= last=9";
  EXPECT_EQ(find_in_line(line, "cmd"), "maxes");
  EXPECT_EQ(find_in_line(line, "max"), "7");
  EXPECT_EQ(find_in_line(line, "x"), "a=b");
  EXPECT_EQ(find_in_line(line, "last"), "9");
  EXPECT_EQ(find_in_line(line, "empty"), "");
  EXPECT_EQ(find_in_line(line, "word"), std::nullopt);
  EXPECT_EQ(find_in_line(line, "len_max"), std::nullopt);
  EXPECT_EQ(find_in_line("", "cmd"), std::nullopt);
  EXPECT_EQ(find_in_line("   ", "cmd"), std::nullopt);
}

TEST(pmi1, what_a_rank_says_can_be_heard_after_the_fence) {
  FakeServer server;
  Result<Pmi1> session = server.open();
  ASSERT_TRUE(session) << session.error().text;
  EXPECT_EQ(session->rank(), 1U);
  EXPECT_EQ(session->size(), 3U);
  EXPECT_EQ(session->job(), "job_7");
  ASSERT_TRUE(session->put(Round::ranks, "a/b"));
  const Result<bool> all = session->fence(Deadline(20));
  ASSERT_TRUE(all);
  EXPECT_TRUE(*all);
  const Result<std::string> value = session->get(Round::ranks, 1);
  ASSERT_TRUE(value) << value.error().text;
  EXPECT_EQ(*value, "a/b");
}

TEST(pmi1, the_end_is_told_and_answered) {
  FakeServer server;
  Result<Pmi1> session = server.open();
  ASSERT_TRUE(session);
  session->finish();
  EXPECT_EQ(server.heard().back(), "cmd=finalize");
}

TEST(pmi1, abort_carries_the_status_and_waits_for_nothing) {
  FakeServer server;
  Result<Pmi1> session = server.open();
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->abort(7));
  session->finish();  // so that the server has read all earlier commands
  EXPECT_EQ(server.heard().rbegin()[1], "cmd=abort exitcode=7");
}

TEST(pmi1, a_fence_that_nobody_ends_ends_with_the_time) {
  const FakeServer server(FakeServer::Answers{{"barrier_in", ""}});
  Result<Pmi1> session = server.open();
  ASSERT_TRUE(session);
  const Result<bool> all = session->fence(Deadline(0));
  ASSERT_TRUE(all) << all.error().text;
  EXPECT_FALSE(*all);
}

TEST(pmi1, answers_that_make_no_sense_are_shown) {
  EXPECT_EQ(refusal({{"init", "what?\n"}}),
            "the launcher answered \"what?\" over PMI_FD; expected response_to_init");
  EXPECT_EQ(refusal({{"init", "cmd=response_to_init rc=-1\n"}}),
            "the launcher answered \"cmd=response_to_init rc=-1\" over PMI_FD; expected rc=0");
  EXPECT_EQ(refusal({{"init", "\n"}}),
            "the launcher answered \"\" over PMI_FD; expected response_to_init");
  EXPECT_EQ(
      refusal({{"get_maxes", "cmd=maxes vallen_max=12\n"}}),
      "the launcher answered \"cmd=maxes vallen_max=12\" over PMI_FD; expected a vallen_max of at "
      "least 1000");
  EXPECT_EQ(
      refusal({{"get_maxes", "cmd=maxes\n"}}),
      "the launcher answered \"cmd=maxes\" over PMI_FD; expected a vallen_max of at least 1000");
  EXPECT_EQ(refusal({{"get_my_kvsname", "cmd=my_kvsname kvsname=\n"}}),
            "the launcher answered \"cmd=my_kvsname kvsname=\" over PMI_FD; expected a kvsname");
}

TEST(pmi1, a_line_without_end_is_refused) {
  const std::string sentence = refusal({{"init", std::string(5000, 'x')}});
  EXPECT_EQ(sentence, "the launcher answered \"" + std::string(80, 'x') +
                          "\" over PMI_FD; expected one line");
}

TEST(pmi1, a_value_that_is_not_there_is_an_error) {
  const FakeServer server(
      FakeServer::Answers{{"get", "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"}});
  Result<Pmi1> session = server.open();
  ASSERT_TRUE(session);
  const Result<std::string> value = session->get(Round::nodes, 2);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().text,
            "the launcher answered \"cmd=get_result rc=-1 msg=key_not_found value=unknown\" over "
            "PMI_FD; expected the data of rank 2");
}

TEST(pmi1, a_launcher_that_hangs_up_is_gone) {
  const std::string sentence = refusal({{"get_maxes", "hang up"}});
  EXPECT_TRUE(sentence.starts_with("the launcher has closed PMI_FD=")) << sentence;
}

}  // namespace
}  // namespace gondwana
