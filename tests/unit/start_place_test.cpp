#include "bootstrap/unique_id/start_place.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "bootstrap/unique_id/join_at.hpp"

namespace gondwana {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

Result<std::optional<StartPlace>> find(const Variables& variables) {
  return find_start_place([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// Where the processes meet, and which of them this is.
std::string place_of(Variables variables, const char* meet = "there:7777") {
  variables.emplace("GONDWANA_MEET", meet);
  const auto found = find(variables);
  if (!found || !*found) return found ? "nowhere" : found.error().text;
  const StartPlace& place = **found;
  return place.host + " " + std::to_string(place.port) + " " + std::to_string(place.rank) + "/" +
         std::to_string(place.size);
}

TEST(start_place, nowhere_unless_it_is_named) {
  const auto found = find({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "there"}});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST(start_place, rank_and_size_are_those_of_the_launcher) {
  EXPECT_EQ(place_of({{"RANK", "1"}, {"WORLD_SIZE", "3"}}), "there 7777 1/3");
  EXPECT_EQ(place_of({{"FLUX_TASK_RANK", "2"}, {"FLUX_JOB_SIZE", "3"}}), "there 7777 2/3");
  EXPECT_EQ(place_of({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}}), "there 7777 0/3");
  EXPECT_EQ(place_of({{"JOB_COMPLETION_INDEX", "3"}, {"GONDWANA_MEET_SIZE", "4"}}),
            "there 7777 3/4");
}

TEST(start_place, own_variables_come_before_those_of_the_launcher) {
  EXPECT_EQ(place_of({{"RANK", "1"},
                      {"WORLD_SIZE", "3"},
                      {"GONDWANA_MEET_RANK", "4"},
                      {"GONDWANA_MEET_SIZE", "5"}}),
            "there 7777 4/5");
}

TEST(start_place, a_launcher_may_name_the_host) {
  EXPECT_EQ(place_of({{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "n1"}}, ":99"),
            "n1 99 1/3");
  for (const auto& [list, first] : {std::pair{"n[01-03,7],x", "n01"},
                                    {"n[5]", "n5"},
                                    {"a,n[1-2]", "a"},
                                    {"n[1-2]-ib,x", "n1-ib"},
                                    {"alone", "alone"}})
    EXPECT_EQ(
        place_of(
            {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_NODELIST", list}},
            ":99"),
        std::string(first) + " 99 1/2");
}

TEST(start_place, addresses_of_ipv6_are_in_brackets) {
  EXPECT_EQ(place_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, "[fd00::1]:7"), "fd00::1 7 0/2");
}

TEST(start_place, what_is_wrong_or_missing_is_named) {
  const Variables known{{"RANK", "0"}, {"WORLD_SIZE", "2"}};
  for (const char* meet : {"there", "there:", "there:0", "there:70000", ":7", ""})
    EXPECT_NE(place_of(known, meet).find("expected HOST:PORT"), std::string::npos) << meet;
  EXPECT_NE(place_of({}).find("says the number of ranks"), std::string::npos);
  EXPECT_NE(place_of({{"GONDWANA_MEET_SIZE", "2"}}).find("says the rank"), std::string::npos);
  EXPECT_NE(place_of({{"RANK", "2"}, {"WORLD_SIZE", "2"}})
                .find("RANK=2: the rank of this process must be a number from 0 to 1"),
            std::string::npos);
}

TEST(start_place, two_ranks_have_two_identities) {
  const auto identity = [](const char* rank) {
    return (*find({{"GONDWANA_MEET", "a:1"}, {"RANK", rank}, {"WORLD_SIZE", "2"}}))->identity();
  };
  EXPECT_NE(identity("0"), identity("1"));
}

TEST(start_place, blanks_around_a_secret_do_not_matter) {
  EXPECT_EQ(key_of("a secret"), key_of(" a secret\n"));
  EXPECT_NE(key_of("a secret"), key_of("a secreu"));
  EXPECT_NE(key_of("a secret"), key_of(std::string("a secret") + '\0'));
}

}  // namespace
}  // namespace gondwana
