#include "bootstrap/rendezvous_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "memory/layout.hpp"

namespace gondwana {
namespace {

constexpr std::uint32_t generous = 60;  // seconds, against hangs

ino_t inode(const UniqueFd& memory) {
  struct stat status{};
  EXPECT_EQ(::fstat(memory.get(), &status), 0);
  return status.st_ino;
}

// The memory that a member received: its arenas in order, then the control memory.
std::vector<ino_t> memory_of(Membership& member) {
  std::vector<ino_t> inodes;
  for (std::uint32_t rank = 0; rank < member.plan.ranks; ++rank) {
    const Result<UniqueFd> arena = member.next_arena(rank);
    EXPECT_TRUE(arena) << (arena ? "" : arena.error().text);
    inodes.push_back(arena ? inode(*arena) : 0);
  }
  inodes.push_back(inode(member.control));
  return inodes;
}

Result<RendezvousServer> open(std::uint32_t ranks) {
  Result<RendezvousServer> rendezvous_server = RendezvousServer::open(ranks);
  EXPECT_TRUE(rendezvous_server) << (rendezvous_server ? "" : rendezvous_server.error().text);
  return rendezvous_server;
}

// Serves like the first rank of a job on one node.
Result<Membership> serve(Result<RendezvousServer>& rendezvous_server, const NodeShare& share,
                         std::uint32_t seconds = generous, UniqueFd lifeline = {}) {
  Result<JobMemory> memory = JobMemory::create(share, rendezvous_server->invitation().tag);
  EXPECT_TRUE(memory) << (memory ? "" : memory.error().text);
  if (!memory) return memory.error();
  return (*std::move(rendezvous_server))
      .serve(*std::move(memory), std::move(lifeline), Deadline(seconds));
}

TEST(rendezvous_server, all_ranks_get_the_same_memory) {
  constexpr std::uint32_t ranks = 4;
  Result<RendezvousServer> rendezvous_server = open(ranks);
  const Invitation invitation = rendezvous_server->invitation();
  std::array<std::vector<ino_t>, ranks> seen;
  std::vector<std::thread> others;
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    others.emplace_back([&, rank] {
      Result<Membership> self = visit(invitation, {0, rank}, Deadline(generous));
      ASSERT_TRUE(self) << self.error().text;
      EXPECT_EQ(index(self->rank), rank);
      EXPECT_EQ(self->ranks, ranks);
      seen.at(rank) = memory_of(*self);
    });
  }
  Result<Membership> first = serve(rendezvous_server, NodeShare::whole(ranks));
  for (std::thread& other : others) other.join();
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ(index(first->rank), 0U);
  seen[0] = memory_of(*first);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) EXPECT_EQ(seen.at(rank), seen[0]);
}

TEST(rendezvous_server, strangers_are_turned_away_and_the_ranks_still_served) {
  Result<RendezvousServer> rendezvous_server = open(2);
  Invitation wrong_password = rendezvous_server->invitation();
  ++wrong_password.password;
  Invitation wrong_tag = rendezvous_server->invitation();
  ++wrong_tag.tag;
  const Invitation right = rendezvous_server->invitation();
  std::thread other([&] {
    EXPECT_FALSE(visit(wrong_password, {0, 1}, Deadline(generous)));
    EXPECT_FALSE(visit(wrong_tag, {0, 1}, Deadline(generous)));
    EXPECT_FALSE(visit(right, {0, 0}, Deadline(generous)))
        << "the first rank does not visit itself";
    EXPECT_FALSE(visit(right, {0, 2}, Deadline(generous))) << "there is no such rank";
    Result<Membership> self = visit(right, {0, 1}, Deadline(generous));
    ASSERT_TRUE(self) << self.error().text;
    memory_of(*self);
  });
  const Result<Membership> first = serve(rendezvous_server, NodeShare::whole(2));
  other.join();
  EXPECT_TRUE(first) << first.error().text;
}

TEST(rendezvous_server, ranks_of_a_later_node_get_their_place_and_a_hold_on_their_agent) {
  constexpr NodeShare share{.ranks = 2, .first = 4, .node = 2, .nodes = 3, .job_ranks = 6};
  constexpr std::uint64_t tag = 42;
  Result<RendezvousServer> rendezvous_server = RendezvousServer::open(6, tag);
  ASSERT_TRUE(rendezvous_server);
  const Invitation invitation = rendezvous_server->invitation();
  EXPECT_EQ(invitation.tag, tag);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd agent(ends[0]);
  std::optional<Membership> guest;
  std::thread other([&] {
    EXPECT_FALSE(visit(invitation, {4, 1}, Deadline(generous))) << "a rank of another node";
    Result<Membership> self = visit(invitation, {4, 5}, Deadline(generous));
    ASSERT_TRUE(self) << self.error().text;
    memory_of(*self);
    guest = *std::move(self);
  });
  Result<Membership> host = serve(rendezvous_server, share, generous, UniqueFd(ends[1]));
  other.join();
  ASSERT_TRUE(host) << host.error().text;
  ASSERT_TRUE(guest);
  EXPECT_EQ(index(host->rank), 4U);
  EXPECT_EQ(index(guest->rank), 5U);
  EXPECT_EQ(guest->ranks, 6U);
  EXPECT_EQ(guest->plan.node, 2U);
  EXPECT_EQ(guest->job_tag, tag);

  pollfd end{agent.get(), POLLIN, 0};
  host->lifeline.reset();
  EXPECT_EQ(::poll(&end, 1, 0), 0) << "a rank is left";
  guest->lifeline.reset();
  EXPECT_EQ(::poll(&end, 1, 0), 1) << "no rank is left";
}

TEST(rendezvous_server, who_does_not_come_is_named) {
  Result<RendezvousServer> rendezvous_server = open(3);
  const Result<Membership> first = serve(rendezvous_server, NodeShare::whole(3), 0);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().text,
            "rank 0 waited 0 s (GONDWANA_JOIN_TIMEOUT) for ranks that did not request their "
            "memory: 1, 2");
}

TEST(rendezvous_server, a_closed_one_is_a_lost_rank) {
  Invitation invitation;
  {
    const Result<RendezvousServer> rendezvous_server = open(2);
    invitation = rendezvous_server->invitation();
  }
  const Result<Membership> self = visit(invitation, {0, 1}, Deadline(generous));
  ASSERT_FALSE(self);
  EXPECT_EQ(self.error().text, "cannot connect to rank 0: Connection refused");
}

TEST(rendezvous_server, addresses_that_are_none_are_refused) {
  for (const char* address : {"", "0", "00", "00zz", "2f746d70", "000"}) {
    const Result<Membership> self = visit({address, 1, 1}, {0, 1}, Deadline(generous));
    ASSERT_FALSE(self) << address;
    EXPECT_EQ(self.error().text, "the invitation of rank 0 has no address") << address;
  }
}

}  // namespace
}  // namespace gondwana
