// Atomic domains: the arguments that a call accepts, and the error messages for others.
#include <array>
#include <string>
#include <vector>

#include "gasnet_ratomic.h"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

// The error message of a call; empty: the call succeeded.
template <typename Call>
std::string sentence_of(const Call& call) {
  try {
    call();
  } catch (const GaveUp& gave_up) {
    return gave_up.what();
  }
  return {};
}

bool says(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

GASNET_TEST(an_atomic_call_names_exactly_one_operation, 1) {
  void* word = world.attach(4096);
  gex_AD_t domain = GEX_AD_INVALID;
  gex_AD_Create(&domain, world.team, GEX_DT_U64, GEX_OP_ADD | GEX_OP_FADD, 0);
  const auto with = [&](gex_OP_t opcode) {
    return sentence_of([&] {
      std::uint64_t old = 0;
      gex_AD_OpNBI_U64(domain, &old, world.me(), word, opcode, 1, 0, 0);
    });
  };
  EXPECT_TRUE(says(with(0), "exactly one GEX_OP_"));
  EXPECT_TRUE(says(with(GEX_OP_ADD | GEX_OP_FADD), "exactly one GEX_OP_"));
  EXPECT_TRUE(says(with(GEX_OP_SET), "the domain is of type"));
  EXPECT_EQ(with(GEX_OP_FADD), "");
  gex_AD_Destroy(domain);
}

GASNET_TEST(a_pair_has_no_atomic_domain, 1) {
  const gex_TM_t pair = gex_TM_Pair(world.endpoint, 0);
  gex_AD_t domain = GEX_AD_INVALID;
  EXPECT_TRUE(says(sentence_of([&] { gex_AD_Create(&domain, pair, GEX_DT_U64, GEX_OP_ADD, 0); }),
                   "gex_TM_Pair"));
}

GASNET_TEST(a_misaligned_or_foreign_word_is_refused, 1) {
  std::byte* segment = world.attach(4096);
  gex_AD_t domain = GEX_AD_INVALID;
  gex_AD_Create(&domain, world.team, GEX_DT_U64, GEX_OP_INC, 0);
  const auto at = [&](std::byte* place, gex_Rank_t rank) {
    return sentence_of(
        [&] { gex_AD_OpNBI_U64(domain, nullptr, rank, place, GEX_OP_INC, 0, 0, 0); });
  };
  EXPECT_TRUE(says(at(segment + 4, world.me()), "not a multiple of the 8 bytes"));
  EXPECT_TRUE(says(at(segment + 4096, world.me()), "not in the segment"));
  EXPECT_TRUE(says(at(segment - 8, world.me()), "not in the segment"));
  EXPECT_TRUE(says(at(segment, world.size()), "the team has"));
  EXPECT_EQ(at(segment + 4088, world.me()), "");
  gex_AD_Destroy(domain);
}

// A job rank means the first endpoint of its process, wherever that is in the team.
GASNET_TEST(a_job_rank_is_the_first_endpoint_of_its_process, 1) {
  auto* mine = reinterpret_cast<std::uint64_t*>(world.attach(4096));
  gex_EP_t more = GEX_EP_INVALID;
  ASSERT_EQ(gex_EP_Create(&more, world.client, GEX_EP_CAPABILITY_ALL, 0), GASNET_OK);
  std::vector<gex_EP_Location_t> members;
  for (gex_Rank_t i = 0; i < world.size(); ++i) {
    members.push_back({i, gex_EP_QueryIndex(more)});
    members.push_back({i, 0});
  }
  std::array<gex_TM_t, 2> teams{};
  gex_TM_Create(teams.data(), teams.size(), world.team, members.data(), members.size(), nullptr, 0,
                GEX_FLAG_TM_NO_SCRATCH);
  gex_AD_t domain = GEX_AD_INVALID;
  gex_AD_Create(&domain, teams[1], GEX_DT_U64, GEX_OP_INC, 0);
  *mine = 0;
  world.barrier();
  gex_AD_OpNBI_U64(domain, nullptr, world.right(), world.segment_of(world.right()), GEX_OP_INC, 0,
                   0, GEX_FLAG_RANK_IS_JOBRANK);
  world.barrier();
  EXPECT_EQ(*mine, 1U);
  world.barrier();
  gex_AD_Destroy(domain);
}

}  // namespace
}  // namespace gondwana::gasnet::test
