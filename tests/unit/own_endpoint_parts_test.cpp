// What a rank's own endpoint has in flight, and how it learns the addresses of others.
#include <gtest/gtest.h>

#include <cstring>

#include "remote/client/fetched_address.hpp"
#include "remote/client/in_flight.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t ms = 1'000'000;

TEST(in_flight, messages_have_a_limit_but_one_always_has_room) {
  Traffic traffic{};
  InFlight in_flight(traffic);
  constexpr std::size_t huge = std::size_t{64} << 20;
  EXPECT_TRUE(in_flight.has_room(huge));
  Completion done;
  InFlight::Operation& message = in_flight.take(done, 1);
  in_flight.begin_message(message, huge);
  EXPECT_FALSE(in_flight.has_room(1));
  EXPECT_FALSE(done.done());
  in_flight.end(message);
  EXPECT_TRUE(in_flight.has_room(huge));
  EXPECT_TRUE(done.done());
  EXPECT_EQ(traffic.pending, 0);
}

TEST(in_flight, optional_message_holds_up_nothing) {
  Traffic traffic{};
  InFlight in_flight(traffic);
  Completion done;
  InFlight::Operation& message = in_flight.take(done, 1);
  message.is_optional = true;
  in_flight.begin_message(message, 100);
  EXPECT_FALSE(in_flight.has_messages());
  in_flight.end(message);
}

TEST(in_flight, transfers_of_a_lost_node_fail_and_their_memory_stays_in_use) {
  Traffic traffic{};
  InFlight in_flight(traffic);
  Completion lost;
  Completion sent;
  Completion other;
  InFlight::Operation& write = in_flight.take(lost, 1);
  in_flight.begin_transfer(write, true);
  InFlight::Operation& message = in_flight.take(sent, 1);
  in_flight.begin_message(message, 100);
  InFlight::Operation& elsewhere = in_flight.take(other, 2);
  in_flight.begin_transfer(elsewhere, true);
  const Error loss{Errc::peer_lost, "gone"};
  in_flight.abandon(1, loss);
  EXPECT_EQ(lost.take_loss(), &loss);
  EXPECT_FALSE(sent.done()) << "the network still reads it";
  EXPECT_FALSE(in_flight.has_messages());
  EXPECT_TRUE(in_flight.has_writes());
  EXPECT_EQ(in_flight.find(&write), &write);
  for (InFlight::Operation* each : {&write, &message, &elsewhere}) in_flight.end(*each);
  EXPECT_TRUE(sent.done());
  EXPECT_FALSE(in_flight.has_writes());
  EXPECT_EQ(traffic.pending, 0);
}

// A rank of another node, and the network that reads its info when the test says so.
struct Other {
  EndpointInfo info{};
  FetchedAddress address;
  int reads = 0;
  MutableBytes here;
  Completion* fetching = nullptr;

  bool fetch(std::uint64_t now_ns) {
    const Result<Posted> posted =
        address.fetch(now_ns, [this](MutableBytes to, Completion& done) -> Result<Posted> {
          ++reads;
          here = to;
          fetching = &done;
          done.begin();
          return Posted::accepted;
        });
    return posted && *posted == Posted::accepted;
  }
  void arrive() {
    std::memcpy(here.data(), &info, sizeof(info));
    fetching->finish();
  }
  void write(std::byte first) {
    info.address[0] = first;
    info.size = 1;
  }
};

TEST(fetched_address, comes_whole_with_the_read_after_the_one_that_saw_it) {
  Other other;
  EXPECT_FALSE(other.fetch(1 * ms));
  EXPECT_FALSE(other.fetch(1 * ms));
  EXPECT_EQ(other.reads, 1) << "the first is under way";
  other.arrive();
  EXPECT_FALSE(other.fetch(2 * ms)) << "it is not written yet";
  EXPECT_FALSE(other.fetch(2 * ms));
  EXPECT_EQ(other.reads, 1) << "it waits a while before it asks again";
  other.write(std::byte{7});
  EXPECT_FALSE(other.fetch(4 * ms));
  other.arrive();
  EXPECT_FALSE(other.fetch(4 * ms));
  EXPECT_EQ(other.reads, 3);
  other.arrive();
  ASSERT_TRUE(other.fetch(4 * ms));
  ASSERT_EQ(other.address.address().size(), 1);
  EXPECT_EQ(other.address.address().front(), std::byte{7});
}

TEST(fetched_address, of_another_process_is_fetched_anew) {
  Other other;
  other.write(std::byte{7});
  other.fetch(1 * ms);
  other.arrive();
  other.fetch(1 * ms);
  other.address.renew();
  other.arrive();
  EXPECT_FALSE(other.fetch(1 * ms)) << "it may be that of the last process";
  other.write(std::byte{8});
  other.arrive();
  ASSERT_TRUE(other.fetch(1 * ms));
  EXPECT_EQ(other.address.address().front(), std::byte{8});
}

TEST(fetched_address, of_a_rank_here_is_copied) {
  EndpointInfo info{};
  FetchedAddress address;
  EXPECT_EQ(*address.copy(info), Posted::busy);
  info.size = info.address.size() + 1;
  ASSERT_EQ(*address.copy(info), Posted::accepted);
  EXPECT_TRUE(address.address().empty()) << "no address is so long";
}

}  // namespace
}  // namespace gondwana::remote
