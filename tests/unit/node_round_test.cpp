// The second round of ranks that join on several nodes, without a launcher, a socket or a clock.
#include "bootstrap/node_round.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gondwana {
namespace {

using Ranks = std::vector<std::uint32_t>;

// The offer of the node whose first rank is `rank`; a long one needs several values.
std::string offer_of(std::uint32_t rank, std::size_t address_size = 8) {
  const std::vector<std::byte> address(address_size, std::byte{0xf0});
  return write_offer({{"00aa", 42, rank}, NodeContact(NodeInfo{}, address, {})});
}

// The values that ranks have published.
using Values = std::map<std::pair<std::uint32_t, Round>, std::string>;

// Answers steps until the offers are known, or why they are not.
RoundStep finish(NodeRound& round, std::uint32_t own, Values& values, bool all_come = true) {
  RoundStep step = round.handle(RoundBegins{});
  for (;;) {
    if (const auto* value = std::get_if<PublishValue>(&step)) {
      EXPECT_LE(value->value.size(), longest_value);
      EXPECT_TRUE(values.emplace(std::pair(own, value->round), value->value).second);
      step = round.handle(Published{});
    } else if (std::holds_alternative<WaitForAll>(step)) {
      step = round.handle(AllWaited{30, {}, all_come});
    } else if (const auto* wanted = std::get_if<ReadValue>(&step)) {
      step = round.handle(ValueRead{values.at({wanted->rank, wanted->round})});
    } else {
      return step;
    }
  }
}

// What the first rank of a node publishes.
void publish(std::uint32_t rank, const std::string& offer, Values& values) {
  NodeRound round(offer, {});
  finish(round, rank, values);
}

Ranks passwords(const RoundStep& step) {
  const auto* known = std::get_if<OffersKnown>(&step);
  EXPECT_NE(known, nullptr);
  Ranks passwords;
  if (known == nullptr) return passwords;
  for (const NodeOffer& offer : known->offers)
    passwords.push_back(static_cast<std::uint32_t>(offer.invitation.password));
  return passwords;
}

TEST(NodeRound, a_host_publishes_its_offer_and_reads_all_in_order) {
  Values values;
  publish(4, offer_of(4), values);
  publish(6, offer_of(6), values);
  NodeRound round(offer_of(0), {0, 4, 6});
  EXPECT_EQ(passwords(finish(round, 0, values)), (Ranks{0, 4, 6}));
}

TEST(NodeRound, a_guest_publishes_nothing_and_reads_the_offer_of_its_host) {
  Values values;
  publish(4, offer_of(4), values);
  NodeRound round({}, {4});
  EXPECT_EQ(passwords(finish(round, 5, values)), Ranks{4});
  EXPECT_EQ(values.size(), 1U);
}

TEST(NodeRound, a_long_offer_travels_in_several_values_of_the_size_that_launchers_carry) {
  Values values;
  publish(0, offer_of(0, 1024), values);
  EXPECT_EQ(values.size(), 3U);
  publish(4, offer_of(4), values);
  NodeRound round({}, {0, 4});
  const RoundStep step = finish(round, 5, values);
  EXPECT_EQ(passwords(step), (Ranks{0, 4}));
  EXPECT_EQ(std::get<OffersKnown>(step).offers[0].contact.address().size(), 1024U);
}

TEST(NodeRound, hosts_that_do_not_come_and_offers_that_are_damaged_are_errors) {
  Values values;
  NodeRound late(offer_of(0), {0});
  EXPECT_EQ(std::get<Error>(finish(late, 0, values, false)).text,
            "not all hosts were ready within 30 s (GONDWANA_JOIN_TIMEOUT); did a rank elsewhere "
            "end?");
  values[{4, Round::nodes}] = "garbage";
  NodeRound round({}, {4});
  const RoundStep step = finish(round, 5, values);
  EXPECT_NE(std::get<Error>(step).text.find("rank 4"), std::string::npos);
}

}  // namespace
}  // namespace gondwana
