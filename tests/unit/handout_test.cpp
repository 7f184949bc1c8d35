// How processes that join get their memory, without a socket.
#include "run/node/handout.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gondwana::launch {
namespace {

using protocol::Sent;
using Progress = Handout::Progress;

// Three items to a process; the socket answers as told, then with yes.
struct Socket {
  std::vector<Sent> answers;
  std::vector<std::uint32_t> got = {};

  Progress advance(Handout& handout) {
    return handout.advance(0, 3, [this](std::uint32_t item) {
      const Sent sent = answers.empty() ? Sent::yes : answers.front();
      if (!answers.empty()) answers.erase(answers.begin());
      if (sent == Sent::yes) got.push_back(item);
      return sent;
    });
  }
};

using Items = std::vector<std::uint32_t>;

TEST(Handout, goes_on_where_there_was_no_room) {
  Handout handout(1);
  handout.join(0);
  Socket socket{{Sent::yes, Sent::no_room, Sent::too_many_in_flight}};
  EXPECT_EQ(socket.advance(handout), Progress::wait_for_space);
  EXPECT_EQ(socket.advance(handout), Progress::try_later);
  EXPECT_EQ(socket.advance(handout), Progress::done);
  EXPECT_EQ(socket.got, (Items{0, 1, 2}));
  EXPECT_EQ(socket.advance(handout), Progress::done);
  EXPECT_EQ(socket.got.size(), 3U);
}

TEST(Handout, sends_nothing_before_a_process_asks_and_nothing_to_one_that_is_gone) {
  Handout handout(1);
  Socket socket{{}};
  EXPECT_EQ(socket.advance(handout), Progress::done);
  EXPECT_EQ(socket.got, Items{});
  handout.join(0);
  socket.answers = {Sent::peer_lost};
  EXPECT_EQ(socket.advance(handout), Progress::lost);
  EXPECT_EQ(socket.advance(handout), Progress::done);
  EXPECT_EQ(socket.got, Items{});
}

TEST(Handout, another_program_of_a_rank_gets_all_again_unless_the_first_one_ran) {
  Handout handout(1);
  handout.join(0);
  Socket socket{{}};
  socket.advance(handout);
  EXPECT_FALSE(refusal_to_join(0, RankState::joined));
  handout.join(0);
  socket.advance(handout);
  EXPECT_EQ(socket.got, (Items{0, 1, 2, 0, 1, 2}));
  for (const RankState state : {RankState::running, RankState::finalized})
    EXPECT_TRUE(
        refusal_to_join(3, state)->text.starts_with("rank 3 asked to join the job a second time"));
}

}  // namespace
}  // namespace gondwana::launch
