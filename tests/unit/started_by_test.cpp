#include "bootstrap/started_by.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <map>
#include <string>

#include "core/unique_fd.hpp"

namespace gondwana {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

StartedBy seen_in(const Variables& variables) {
  return find_launcher([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

struct OpenSocket {
  UniqueFd descriptor{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string text = std::to_string(descriptor.get());
};

TEST(started_by, nobody_where_nothing_is_said) {
  const StartedBy by = seen_in({});
  EXPECT_FALSE(by.claim);
  EXPECT_FALSE(by.has_pmix);
  EXPECT_FALSE(by.pmi1);
  EXPECT_EQ(by.identity, "");
}

TEST(started_by, a_launcher_that_counts_is_named) {
  const StartedBy by = seen_in({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_JOB_ID", "1"}});
  EXPECT_EQ(by.launcher, "srun (Slurm)");
  ASSERT_TRUE(by.claim);
  EXPECT_EQ(by.claim->variable, "SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(by.claim->size, 4U);
}

TEST(started_by, torchrun_inside_slurm_is_torchrun) {
  const StartedBy by = seen_in({{"SLURM_STEP_NUM_TASKS", "2"}, {"ROLE_WORLD_SIZE", "8"}});
  EXPECT_EQ(by.launcher, "torchrun");
  ASSERT_TRUE(by.claim);
  EXPECT_EQ(by.claim->size, 8U);
}

TEST(started_by, an_allocation_claims_nothing) {
  EXPECT_FALSE(
      seen_in({{"SLURM_JOB_ID", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).claim);
}

TEST(started_by, sizes_that_are_not_above_one_claim_nothing) {
  for (const char* size : {"1", "0", "-4", "many", ""})
    EXPECT_FALSE(seen_in({{"PMI_SIZE", size}}).claim) << size;
}

TEST(started_by, a_launcher_within_another_counts_where_either_has_several) {
  const StartedBy by = seen_in({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}});
  ASSERT_TRUE(by.claim);
  EXPECT_EQ(by.claim->size, 4U);
}

TEST(started_by, pmi1_needs_an_open_socket_a_size_and_a_rank_below_it) {
  const OpenSocket socket;
  const StartedBy by = seen_in({{"PMI_FD", socket.text}, {"PMI_SIZE", "3"}, {"PMI_RANK", "2"}});
  ASSERT_TRUE(by.pmi1);
  EXPECT_EQ(by.pmi1->socket, socket.descriptor.get());
  EXPECT_EQ(by.pmi1->rank, 2U);
  EXPECT_EQ(by.pmi1->size, 3U);
  EXPECT_FALSE(seen_in({{"PMI_FD", socket.text}, {"PMI_SIZE", "3"}, {"PMI_RANK", "3"}}).pmi1);
  EXPECT_FALSE(seen_in({{"PMI_FD", socket.text}, {"PMI_SIZE", "3"}}).pmi1);
  EXPECT_FALSE(seen_in({{"PMI_FD", socket.text}, {"PMI_RANK", "0"}}).pmi1);
  EXPECT_FALSE(seen_in({{"PMI_FD", "1000000"}, {"PMI_SIZE", "3"}, {"PMI_RANK", "2"}}).pmi1);
}

TEST(started_by, two_ranks_and_two_launches_have_two_identities) {
  const OpenSocket one;
  const OpenSocket two;
  const auto pmi = [](const OpenSocket& socket) {
    return seen_in({{"PMI_FD", socket.text}, {"PMI_SIZE", "3"}, {"PMI_RANK", "2"}}).identity;
  };
  EXPECT_EQ(pmi(one), pmi(one));
  EXPECT_NE(pmi(one), pmi(two));
  const auto pmix = [](const char* space, const char* rank) {
    return seen_in({{"PMIX_NAMESPACE", space}, {"PMIX_RANK", rank}}).identity;
  };
  EXPECT_NE(pmix("a", "0"), "");
  EXPECT_NE(pmix("a", "0"), pmix("a", "1"));
  EXPECT_NE(pmix("a", "0"), pmix("b", "0"));
}

}  // namespace
}  // namespace gondwana
