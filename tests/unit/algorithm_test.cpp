#include "core/algorithm.hpp"

#include <gtest/gtest.h>

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana {
namespace {

constexpr std::array all{Collective::barrier, Collective::broadcast, Collective::reduce,
                         Collective::collect, Collective::fcollect,  Collective::alltoall,
                         Collective::scan};
static_assert(all.size() == collectives);

Result<Options> read(const char* name, const char* value) {
  return read_options(
      [=](const char* asked) { return std::string_view(asked) == name ? value : nullptr; });
}

TEST(algorithms, each_is_parsed_from_its_name_where_it_is_allowed) {
  for (const Collective collective : all) {
    for (const Algorithm algorithm : algorithms_for(collective)) {
      const Result<Algorithm> parsed = parse_algorithm(collective, name_of(algorithm));
      ASSERT_TRUE(parsed) << name_of(algorithm);
      EXPECT_EQ(*parsed, algorithm);
    }
  }
}

TEST(algorithms, unless_one_is_named_all_are_chosen_automatically) {
  const Result<Options> options = read("", "");
  ASSERT_TRUE(options);
  for (const Collective collective : all)
    EXPECT_EQ(options->algorithms.of(collective), Algorithm::automatic);
}

TEST(algorithms, a_variable_chooses_for_its_own_collective) {
  const Result<Options> options = read("GONDWANA_BARRIER_ALGORITHM", "tree");
  ASSERT_TRUE(options);
  for (const Collective collective : all) {
    EXPECT_EQ(options->algorithms.of(collective),
              collective == Collective::barrier ? Algorithm::tree : Algorithm::automatic);
  }
}

TEST(algorithms, variables_of_other_libraries_choose_too) {
  const auto chosen = [](const char* name, Collective collective) {
    const Result<Options> options = read(name, "linear");
    return options && options->algorithms.of(collective) == Algorithm::linear;
  };
  EXPECT_TRUE(chosen("SHMEM_BARRIER_ALGORITHM", Collective::barrier));
  EXPECT_TRUE(chosen("SHMEM_BCAST_ALGORITHM", Collective::broadcast));
  EXPECT_TRUE(chosen("SHMEM_REDUCE_ALGORITHM", Collective::reduce));
  EXPECT_TRUE(chosen("SHMEM_COLLECT_ALGORITHM", Collective::collect));
  EXPECT_TRUE(chosen("SHMEM_FCOLLECT_ALGORITHM", Collective::fcollect));
  EXPECT_TRUE(chosen("SHMEM_ALLTOALL_ALGORITHM", Collective::alltoall));
  EXPECT_TRUE(chosen("SHMEM_SCAN_ALGORITHM", Collective::scan));
}

TEST(algorithms, a_wrong_name_is_answered_with_the_right_ones) {
  const Result<Options> options = read("SHMEM_BCAST_ALGORITHM", "ring");
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().text,
            "SHMEM_BCAST_ALGORITHM \"ring\": expected auto, linear, tree or levels");
  const Result<Options> ours = read("GONDWANA_ALLTOALL_ALGORITHM", "");
  ASSERT_FALSE(ours);
  EXPECT_EQ(ours.error().text, "GONDWANA_ALLTOALL_ALGORITHM \"\": expected auto or linear");
}

// The help text is hand-written.
TEST(algorithms, the_help_of_a_variable_names_what_is_allowed) {
  for (const Variable& row : variables()) {
    if (!std::string_view(row.name).ends_with("_ALGORITHM")) continue;
    Options options;
    for (const std::string_view name :
         {"auto", "linear", "ring", "tree", "recdbl", "dissem", "levels"}) {
      const bool is_allowed = static_cast<bool>(row.assign(row, name, options));
      EXPECT_EQ(row.help.find(name) != std::string_view::npos, is_allowed)
          << row.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace gondwana
