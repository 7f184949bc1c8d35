#include "bootstrap/process_info.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bootstrap/key_value_space.hpp"

namespace gondwana {
namespace {

const NodeIdentity here{"boot-1", "4026531840", "1000"};

// The text without its checksum, for a test to change.
std::string unsealed(const std::string& text) {
  return text.substr(0, text.rfind('/'));
}

std::string refusal(std::string_view text) {
  const Result<ProcessInfo> info = read_info(text, 3);
  EXPECT_FALSE(info) << text;
  return info ? "" : info.error().text;
}

struct Lengths {
  std::size_t address;
  std::size_t key;
};

NodeOffer offer_of(const NodeInfo& info, Lengths lengths) {
  const std::vector<std::byte> address(lengths.address, std::byte{0xf0});
  const std::vector<std::byte> key(lengths.key, std::byte{0x0f});
  return {{"0061626364", 42, ~std::uint64_t{0}}, NodeContact(info, address, key)};
}

// An offer in which every byte matters.
NodeOffer some_offer() {
  NodeInfo info{};
  info.layout = 0x0123'4567'89ab'cdef;
  info.ranks = {4, 2};
  info.host.fill('h');
  info.host.back() = '\0';
  return offer_of(info, {64, 16});
}

std::string refusal_of_offer(std::string_view text) {
  const Result<NodeOffer> offer = read_offer(text, 3);
  EXPECT_FALSE(offer) << text;
  return offer ? "" : offer.error().text;
}

TEST(info, comes_back_as_it_was_written) {
  const ProcessInfo info{here, "one", 3, Invitation{"0061626364", 42, ~std::uint64_t{0}}};
  const Result<ProcessInfo> back = read_info(write_info(info), 0);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->node, here);
  EXPECT_EQ(back->host, "one");
  EXPECT_EQ(back->node_ranks, 3U);
  ASSERT_TRUE(back->invitation);
  EXPECT_EQ(back->invitation->address, "0061626364");
  EXPECT_EQ(back->invitation->tag, 42U);
  EXPECT_EQ(back->invitation->password, ~std::uint64_t{0});
}

TEST(info, of_a_rank_that_invites_nobody_has_no_invitation) {
  const Result<ProcessInfo> back = read_info(write_info({here, "one", 0, {}}), 1);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->invitation);
}

TEST(info, of_this_process_is_one_short_word) {
  const std::string text = write_info({own_node(), own_host(), 1U << 20, Invitation{"00", 1, 2}});
  EXPECT_EQ(text.find_first_of(" =\n\t"), std::string::npos) << text;
  EXPECT_LE(text.size(), longest_value);
}

TEST(info, text_of_others_is_refused) {
  for (const std::string_view text : {"", "unknown", "gondwana", "/////", "mpich/3/a/b/c/d"})
    EXPECT_TRUE(
        refusal(text).starts_with("the data that rank 3 sent through the launcher is not from"));
}

TEST(info, of_another_build_is_refused) {
  std::string text = write_info({here, "one", 0, {}});
  EXPECT_EQ(refusal(seal(text + "/more")),
            "rank 3 uses a different build of Gondwana; use one installation for all ranks");
  text.insert(text.find('/') + 1, "9");
  EXPECT_EQ(refusal(text),
            "rank 3 uses a different build of Gondwana; use one installation for all ranks");
}

TEST(info, a_garbled_invitation_is_refused) {
  const std::string text = unsealed(write_info({here, "one", 0, {}}));
  for (const std::string_view invitation :
       {"/00//1", "/00/1/", "/00/0/1", "/00/1g/1", "/00/1/11111111111111111", "/00/-1/1"})
    EXPECT_EQ(refusal(seal(text + std::string(invitation))),
              "the invitation of rank 3 is malformed")
        << invitation;
}

TEST(info, a_number_that_is_none_is_refused) {
  std::string text = unsealed(write_info({here, "one", 0, {}}));
  text.back() = 'x';
  EXPECT_EQ(refusal(seal(text)), "the information of rank 3 is malformed");
}

// `text` with each byte changed in five ways, and cut or extended at each place.
std::vector<std::string> changes_of(const std::string& text) {
  std::vector<std::string> changes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const unsigned bits : {1U, 2U, 4U, 32U, 0x7fU}) {
      changes.push_back(text);
      changes.back()[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ bits);
    }
    changes.push_back(text.substr(0, at));
    changes.push_back(text.substr(0, at) + text.substr(at + 1));
    changes.push_back(text.substr(0, at) + text[at] + text.substr(at));
  }
  return changes;
}

// This info would make a rank wait in vain, or join other ranks than its peers.
TEST(info, that_was_changed_on_its_way_is_refused) {
  const std::string text = write_info({here, "one", 2, Invitation{"0061626364", 42, 7}});
  for (const std::string& change : changes_of(text)) refusal(change);
}

TEST(offer, that_was_changed_on_its_way_is_refused) {
  for (const std::string& change : changes_of(write_offer(some_offer()))) refusal_of_offer(change);
}

TEST(offer, comes_back_as_it_was_written) {
  const NodeOffer offer = some_offer();
  const Result<NodeOffer> back = read_offer(write_offer(offer), 0);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->invitation.address, "0061626364");
  EXPECT_EQ(back->invitation.tag, 42U);
  EXPECT_EQ(back->invitation.password, ~std::uint64_t{0});
  EXPECT_EQ(back->contact.pack(), offer.contact.pack());
}

TEST(offer, has_an_address_and_a_key_of_any_length) {
  for (const Lengths lengths : {Lengths{0, 0}, {1, 0}, {0, 1}, {1024, 1024}}) {
    const Result<NodeOffer> back = read_offer(write_offer(offer_of({}, lengths)), 0);
    ASSERT_TRUE(back) << lengths.address;
    EXPECT_EQ(back->contact.address().size(), lengths.address);
    EXPECT_EQ(back->contact.key().size(), lengths.key);
    EXPECT_TRUE(std::ranges::all_of(back->contact.key(),
                                    [](std::byte byte) { return byte == std::byte{0x0f}; }));
  }
}

TEST(offer, is_one_word_that_every_launcher_can_carry) {
  const std::string text = write_offer(some_offer());
  EXPECT_EQ(text.find_first_of(" =\n\t"), std::string::npos) << text;
  EXPECT_LE(text.size(), longest_value);
}

TEST(offer, that_is_garbled_is_refused) {
  const std::string text = unsealed(write_offer(some_offer()));
  const std::string garbled =
      "the node information of rank 3 is malformed; use one installation for all ranks";
  EXPECT_EQ(refusal_of_offer(seal(text + "00")), garbled);
  EXPECT_EQ(refusal_of_offer(seal(text.substr(0, text.size() - 2))), garbled);
  EXPECT_EQ(refusal_of_offer(seal(text.substr(0, text.size() - 1) + "g")), garbled);
  NodeInfo endless_host{};
  endless_host.host.back() = 'h';
  EXPECT_EQ(refusal_of_offer(write_offer(offer_of(endless_host, {16, 8}))), garbled);
  NodeInfo endless_network{};
  endless_network.network.fill('n');
  EXPECT_EQ(refusal_of_offer(write_offer(offer_of(endless_network, {16, 8}))), garbled);
  EXPECT_EQ(refusal_of_offer(write_offer(offer_of({}, {1025, 8}))), garbled);
  EXPECT_EQ(refusal_of_offer(write_offer(offer_of({}, {16, 1025}))), garbled);
  EXPECT_TRUE(
      refusal_of_offer("mpich/3").starts_with("the data that rank 3 sent through the launcher"));
  EXPECT_TRUE(refusal_of_offer(seal(text + "/more")).starts_with("rank 3 uses a different build"));
}

}  // namespace
}  // namespace gondwana
