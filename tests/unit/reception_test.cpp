#include "bootstrap/reception.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <thread>
#include <vector>

#include "core/control_page.hpp"

namespace gondwana {
namespace {

constexpr std::uint32_t generous = 60;  // seconds, against hangs

ino_t inode(const UniqueFd& memory) {
  struct stat status{};
  EXPECT_EQ(::fstat(memory.get(), &status), 0);
  return status.st_ino;
}

// The memory that a member was given: its arenas in order, then the control memory.
std::vector<ino_t> memory_of(Membership& member) {
  std::vector<ino_t> inodes;
  for (std::uint32_t rank = 0; rank < member.ranks; ++rank) {
    const Result<UniqueFd> arena = member.next_arena(rank);
    EXPECT_TRUE(arena) << (arena ? "" : arena.error().text);
    inodes.push_back(arena ? inode(*arena) : 0);
  }
  inodes.push_back(inode(member.control));
  return inodes;
}

Result<Reception> open(std::uint32_t ranks) {
  Result<Reception> reception = Reception::open(ranks);
  EXPECT_TRUE(reception) << (reception ? "" : reception.error().text);
  return reception;
}

TEST(reception, all_ranks_get_the_same_memory) {
  constexpr std::uint32_t ranks = 4;
  Result<Reception> reception = open(ranks);
  const Invitation invitation = reception->invitation();
  std::array<std::vector<ino_t>, ranks> seen;
  std::vector<std::thread> others;
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    others.emplace_back([&, rank] {
      Result<Membership> self = visit(invitation, rank, Deadline(generous));
      ASSERT_TRUE(self) << self.error().text;
      EXPECT_EQ(index(self->rank), rank);
      EXPECT_EQ(self->ranks, ranks);
      seen.at(rank) = memory_of(*self);
    });
  }
  Result<Membership> first = (*std::move(reception)).serve(Deadline(generous));
  for (std::thread& other : others) other.join();
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ(index(first->rank), 0U);
  seen[0] = memory_of(*first);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) EXPECT_EQ(seen.at(rank), seen[0]);
}

TEST(reception, strangers_are_turned_away_and_the_ranks_still_served) {
  Result<Reception> reception = open(2);
  Invitation wrong_password = reception->invitation();
  ++wrong_password.password;
  Invitation wrong_tag = reception->invitation();
  ++wrong_tag.tag;
  const Invitation right = reception->invitation();
  std::thread other([&] {
    EXPECT_FALSE(visit(wrong_password, 1, Deadline(generous)));
    EXPECT_FALSE(visit(wrong_tag, 1, Deadline(generous)));
    EXPECT_FALSE(visit(right, 0, Deadline(generous))) << "the first rank does not visit itself";
    EXPECT_FALSE(visit(right, 2, Deadline(generous))) << "there is no such rank";
    Result<Membership> self = visit(right, 1, Deadline(generous));
    ASSERT_TRUE(self) << self.error().text;
    memory_of(*self);
  });
  const Result<Membership> first = (*std::move(reception)).serve(Deadline(generous));
  other.join();
  EXPECT_TRUE(first) << first.error().text;
}

TEST(reception, who_does_not_come_is_named) {
  Result<Reception> reception = open(3);
  const Result<Membership> first = (*std::move(reception)).serve(Deadline(0));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().text,
            "rank 0 has waited 0 s (GONDWANA_JOIN_TIMEOUT) for ranks that did not come for their "
            "memory: 1, 2");
}

TEST(reception, a_closed_one_is_a_lost_rank) {
  Invitation invitation;
  {
    const Result<Reception> reception = open(2);
    invitation = reception->invitation();
  }
  const Result<Membership> self = visit(invitation, 1, Deadline(generous));
  ASSERT_FALSE(self);
  EXPECT_EQ(self.error().text, "rank 0 is gone: Connection refused");
}

TEST(reception, addresses_that_are_none_are_refused) {
  for (const char* address : {"", "0", "00", "00zz", "2f746d70", "000"}) {
    const Result<Membership> self = visit({address, 1, 1}, 1, Deadline(generous));
    ASSERT_FALSE(self) << address;
    EXPECT_EQ(self.error().text, "the invitation of rank 0 has no address") << address;
  }
}

}  // namespace
}  // namespace gondwana
