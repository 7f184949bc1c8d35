#include "bootstrap/card.hpp"

#include <gtest/gtest.h>

#include <array>

#include "bootstrap/key_value_space.hpp"

namespace gondwana {
namespace {

const NodeIdentity here{"boot-1", "4026531840", "1000"};

std::string refusal(std::string_view text) {
  const Result<Card> card = read_card(text, 3);
  EXPECT_FALSE(card) << text;
  return card ? "" : card.error().text;
}

std::string difference(const NodeIdentity& there) {
  const Result<void> same = check_same_node({here, "one", {}}, 0, {there, "two", {}}, 3);
  EXPECT_FALSE(same);
  return same ? "" : same.error().text;
}

TEST(card, comes_back_as_it_was_written) {
  const Card card{here, "one", Invitation{"0061626364", 42, ~std::uint64_t{0}}};
  const Result<Card> back = read_card(write_card(card), 0);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->node, here);
  EXPECT_EQ(back->host, "one");
  ASSERT_TRUE(back->invitation);
  EXPECT_EQ(back->invitation->address, "0061626364");
  EXPECT_EQ(back->invitation->tag, 42U);
  EXPECT_EQ(back->invitation->password, ~std::uint64_t{0});
}

TEST(card, of_a_rank_that_invites_nobody_has_no_invitation) {
  const Result<Card> back = read_card(write_card({here, "one", {}}), 1);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->invitation);
}

TEST(card, of_this_process_is_one_short_word) {
  const std::string text = write_card({own_node(), own_host(), Invitation{"00", 1, 2}});
  EXPECT_EQ(text.find_first_of(" =\n\t"), std::string::npos) << text;
  EXPECT_LE(text.size(), longest_value);
}

TEST(card, text_of_others_is_refused) {
  for (const std::string_view text : {"", "unknown", "gondwana", "/////", "mpich/3/a/b/c/d"})
    EXPECT_TRUE(refusal(text).starts_with("what rank 3 said through the launcher is not of"));
}

TEST(card, of_another_build_is_refused) {
  std::string text = write_card({here, "one", {}});
  EXPECT_EQ(refusal(text + "/more"),
            "rank 3 uses another build of Gondwana; use one installation for all ranks");
  text.insert(text.find('/') + 1, "9");
  EXPECT_EQ(refusal(text),
            "rank 3 uses another build of Gondwana; use one installation for all ranks");
}

TEST(card, a_garbled_invitation_is_refused) {
  const std::string text = write_card({here, "one", {}});
  for (const std::string_view invitation :
       {"/00//1", "/00/1/", "/00/0/1", "/00/1g/1", "/00/1/11111111111111111", "/00/-1/1"})
    EXPECT_EQ(refusal(text + std::string(invitation)), "the invitation of rank 3 is garbled")
        << invitation;
}

TEST(card, ranks_out_of_reach_are_named_with_the_reason) {
  EXPECT_TRUE(check_same_node({here, "one", {}}, 0, {here, "two", {}}, 1));
  EXPECT_EQ(difference({"boot-2", "4026531840", "1000"}),
            "rank 0 on host one and rank 3 on host two are on other machines: this version runs on "
            "one");
  EXPECT_EQ(difference({"boot-1", "4026531841", "1000"}),
            "rank 0 on host one and rank 3 on host two are in containers with networks of their "
            "own: this version needs one network namespace");
  EXPECT_EQ(difference({"boot-1", "4026531840", "1001"}),
            "rank 0 on host one and rank 3 on host two are of other users, who may not share "
            "memory: start all ranks as one user");
}

}  // namespace
}  // namespace gondwana
