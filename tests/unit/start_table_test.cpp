#include "bootstrap/unique_id/start_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gondwana {
namespace {

constexpr HashKey key{1, 2};
constexpr std::uint64_t build = 0xabc;

struct Rank {
  std::uint32_t rank;
  std::uint32_t size;
};

// A server with guests whose numbers are those of their connections plus 100.
class StartTableTest : public testing::Test {
 protected:
  // The lines to `guest`; others are kept for heard().
  std::string say(Guest guest, const std::string& line) {
    take(table_.on_line(guest, line));
    return heard(guest);
  }
  std::string heard(Guest guest) { return std::exchange(lines_[guest], ""); }
  void leave(Guest guest) { take(table_.on_gone(guest)); }

  std::string come(Guest guest, std::uint64_t of_build = build) {
    table_.on_come(guest, guest + 100);
    return say(guest, fmt::format("gondwana-unique-id {:x} 7", of_build));
  }
  std::string check_in(Guest guest, Rank as, const HashKey& known = key) {
    come(guest);
    return say(guest, fmt::format("join {} {} {:x}", as.rank, as.size,
                                  proof_of_rank(known, guest + 100, as.rank, as.size)));
  }

  StartTable table_{key, build};

 private:
  void take(const StartReplies& replies) {
    for (const StartReply& reply : replies) lines_[reply.to] += reply.line;
  }

  std::map<Guest, std::string> lines_;
};

TEST_F(StartTableTest, both_sides_prove_that_they_have_the_id) {
  EXPECT_EQ(come(1), fmt::format("root 65 {:x}", proof_of_root(key, 7)));
  EXPECT_EQ(check_in(2, {0, 2}), "admitted");
}

TEST_F(StartTableTest, values_are_there_after_the_fence) {
  check_in(1, {0, 2});
  check_in(2, {1, 2});
  EXPECT_EQ(say(1, "put rank one"), "");
  EXPECT_EQ(say(1, "fence"), "");
  EXPECT_EQ(say(2, "put rank two"), "");
  EXPECT_EQ(say(2, "fence"), "fenced");
  EXPECT_EQ(heard(1), "fenced");
  EXPECT_EQ(say(2, "get rank 0"), "value one");
  EXPECT_EQ(say(1, "get rank 1"), "value two");
  EXPECT_EQ(say(1, "get node0 1"), "none");
}

TEST_F(StartTableTest, a_second_fence_waits_again) {
  check_in(1, {0, 2});
  check_in(2, {1, 2});
  say(1, "fence");
  say(2, "fence");
  heard(1);
  EXPECT_EQ(say(2, "fence"), "");
  EXPECT_EQ(say(1, "fence"), "fenced");
}

TEST_F(StartTableTest, who_does_not_have_the_id_is_refused) {
  EXPECT_EQ(check_in(1, {0, 2}, {1, 3}),
            "refused this is not the unique id, or the secret, of the job that meets here; pass on "
            "all its bytes");
  EXPECT_EQ(table_.refused(Refusal::wrong_id), 1U);
}

TEST_F(StartTableTest, a_proof_counts_for_one_connection) {
  come(1);
  EXPECT_TRUE(say(1, fmt::format("join 0 2 {:x}", proof_of_rank(key, 102, 0, 2)))
                  .starts_with("refused this is not the unique id"));
}

TEST_F(StartTableTest, another_build_is_refused) {
  EXPECT_TRUE(come(1, build + 1)
                  .starts_with("refused the process that made the unique id has a "
                               "different build"));
  EXPECT_EQ(table_.refused(Refusal::other_build), 1U);
}

TEST_F(StartTableTest, a_stranger_is_refused) {
  table_.on_come(1, 101);
  EXPECT_TRUE(say(1, "GET / HTTP/1.1").starts_with("refused this is where"));
  come(2);
  EXPECT_TRUE(say(2, "join all").starts_with("refused this is not how"));
  EXPECT_EQ(table_.refused(Refusal::stranger), 2U);
  EXPECT_EQ(table_.refused(), 2U);
}

TEST_F(StartTableTest, a_rank_checks_in_once) {
  check_in(1, {0, 3});
  EXPECT_TRUE(
      check_in(2, {0, 3}).starts_with("refused another process has already come as rank 0"));
  EXPECT_EQ(table_.refused(Refusal::wrong_rank), 1U);
}

TEST_F(StartTableTest, all_have_one_size) {
  EXPECT_TRUE(check_in(3, {2, 2}).starts_with("refused 2 ranks have the numbers 0 to 1"));
  check_in(1, {0, 3});
  EXPECT_EQ(check_in(2, {1, 4}),
            "refused this process says that the job has 4 ranks, the first that came said 3");
}

TEST_F(StartTableTest, one_id_is_one_start) {
  check_in(1, {0, 1});
  EXPECT_EQ(check_in(2, {0, 1}),
            "refused this unique id has already started a job of 1 rank; make a new one for each "
            "start");
  EXPECT_EQ(table_.refused(Refusal::late), 1U);
}

TEST_F(StartTableTest, missing_ranks_are_named) {
  check_in(1, {1, 4});
  EXPECT_EQ(say(1, "missing"), "missing 0, 2, 3");
}

TEST_F(StartTableTest, a_rank_that_ends_too_early_ends_the_start) {
  check_in(1, {0, 3});
  check_in(2, {1, 3});
  say(1, "fence");
  leave(2);
  EXPECT_EQ(heard(1), "ended rank 1 ended before all ranks had joined; these had not come: 2");
  EXPECT_TRUE(check_in(3, {2, 3}).starts_with("refused this start has failed: rank 1 ended"));
  EXPECT_FALSE(table_.is_over());
  leave(1);
  EXPECT_TRUE(table_.is_over());
}

TEST_F(StartTableTest, a_rank_that_has_joined_may_end) {
  check_in(1, {0, 2});
  check_in(2, {1, 2});
  say(1, "done");
  leave(1);
  EXPECT_EQ(heard(2), "");
  EXPECT_FALSE(table_.is_over());
  say(2, "done");
  leave(2);
  EXPECT_TRUE(table_.is_over());
}

TEST_F(StartTableTest, nobody_has_come_yet) {
  EXPECT_FALSE(table_.is_over());
  come(1);
  leave(1);
  EXPECT_FALSE(table_.is_over());
}

}  // namespace
}  // namespace gondwana
