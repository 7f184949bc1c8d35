#include "core/options.hpp"
#include "core/variables.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace gondwana {
namespace {

// A private environment: reading it changes nothing in this process.
class Variables {
 public:
  Variables(std::initializer_list<std::pair<const std::string, std::string>> values)
      : values_(values) {}

  Result<Options> read() const {
    return read_options([this](const char* name) -> const char* {
      const auto value = values_.find(name);
      return value == values_.end() ? nullptr : value->second.c_str();
    });
  }

 private:
  std::map<std::string, std::string> values_;
};

std::string refusal(const Variables& variables) {
  const Result<Options> options = variables.read();
  EXPECT_FALSE(options);
  return options ? "" : options.error().text;
}

TEST(options, every_fallback_is_accepted_and_gives_the_defaults) {
  const Result<Options> options = Variables({}).read();
  ASSERT_TRUE(options);
  EXPECT_EQ((*options).heap_size, 0U);
  EXPECT_FALSE((*options).heap_overcommit);
  EXPECT_EQ((*options).remote_heap, std::size_t{768} << 20);
  EXPECT_EQ((*options).spins, 0U);
  EXPECT_EQ((*options).prefault, Prefault::off);
}

TEST(options, values_are_read) {
  const Result<Options> options = Variables({{"GONDWANA_HEAP_SIZE", "512M"},
                                             {"GONDWANA_HEAP_OVERCOMMIT", "yes"},
                                             {"GONDWANA_PREFAULT", "interleave"},
                                             {"GONDWANA_REMOTE_HEAP", "0"},
                                             {"GONDWANA_SPINS", "100"}})
                                      .read();
  ASSERT_TRUE(options);
  EXPECT_EQ((*options).heap_size, std::size_t{512} << 20);
  EXPECT_TRUE((*options).heap_overcommit);
  EXPECT_EQ((*options).prefault, Prefault::interleave);
  EXPECT_EQ((*options).remote_heap, 0U);
  EXPECT_EQ((*options).spins, 100U);
}

TEST(options, names_of_other_libraries_are_understood) {
  for (const char* name :
       {"SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "SMA_SYMMETRIC_SIZE"})
    EXPECT_EQ((*Variables({{name, "1G"}}).read()).heap_size, std::size_t{1} << 30) << name;
}

TEST(options, a_switch_of_comex_makes_each_process_a_node) {
  EXPECT_EQ((*Variables({}).read()).max_on_node(), 0U);
  for (const char* name :
       {"COMEX_ENABLE_PUT_SMP", "COMEX_ENABLE_GET_SMP", "COMEX_ENABLE_ACC_SMP"}) {
    EXPECT_EQ((*Variables({{name, "0"}}).read()).max_on_node(), 1U) << name;
    EXPECT_EQ((*Variables({{name, "1"}}).read()).max_on_node(), 0U) << name;
    const Variables both{{name, "0"}, {"GONDWANA_NODE_RANKS", "2"}};
    EXPECT_EQ((*both.read()).max_on_node(), 2U) << name;
  }
}

TEST(options, an_eager_limit_of_comex_beyond_ours_means_ours) {
  EXPECT_EQ((*Variables({{"COMEX_EAGER_THRESHOLD", "4096"}}).read()).eager_limit, 4096U);
  EXPECT_EQ((*Variables({{"COMEX_EAGER_THRESHOLD", "1048576"}}).read()).eager_limit, 65536U);
  EXPECT_EQ(refusal({{"COMEX_EAGER_THRESHOLD", "big"}}),
            "COMEX_EAGER_THRESHOLD \"big\": expected a size such as 8192, 8K or 1.5G");
  EXPECT_EQ(refusal({{"GONDWANA_EAGER_LIMIT", "1M"}}),
            "GONDWANA_EAGER_LIMIT \"1M\": expected 64K or less");
}

TEST(options, our_name_wins_over_others) {
  const Variables both{{"SHMEM_SYMMETRIC_SIZE", "1G"}, {"GONDWANA_HEAP_SIZE", "2G"}};
  EXPECT_EQ((*both.read()).heap_size, std::size_t{2} << 30);
  const Variables others{{"SMA_SYMMETRIC_SIZE", "1G"}, {"SHMEM_SYMMETRIC_SIZE", "3G"}};
  EXPECT_EQ((*others.read()).heap_size, std::size_t{3} << 30);
}

TEST(options, sizes_are_spelled_as_the_standard_has_it_where_the_name_is_the_standards) {
  const auto size = [](const char* name, const char* text) {
    return (*Variables({{name, text}}).read()).heap_size;
  };
  for (const char* name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE"}) {
    EXPECT_EQ(size(name, "3.1M"), 3250586U);
    EXPECT_EQ(size(name, "20kk"), 20480U);
  }
  EXPECT_EQ(refusal({{"GONDWANA_HEAP_SIZE", "20kk"}}),
            "GONDWANA_HEAP_SIZE \"20kk\": expected a size such as 8192, 8K or 1.5G");
}

TEST(options, any_value_of_a_standard_name_means_yes) {
  for (const char* value : {"1", "0", "no", ""}) {
    for (const char* name : {"SHMEM_DEBUG", "SMA_DEBUG"})
      EXPECT_TRUE((*Variables({{name, value}}).read()).checks) << name << '=' << value;
    EXPECT_TRUE((*Variables({{"SMA_VERSION", value}}).read()).version) << value;
    EXPECT_TRUE((*Variables({{"SHMEM_INFO", value}}).read()).info) << value;
  }
  const Variables taken_back{{"SHMEM_DEBUG", "1"}, {"GONDWANA_DEBUG", "no"}};
  EXPECT_FALSE((*taken_back.read()).checks);
  EXPECT_EQ(refusal({{"GONDWANA_DEBUG", "maybe"}}), "GONDWANA_DEBUG \"maybe\": expected yes or no");
}

TEST(options, a_setting_names_the_variable_that_gave_it) {
  const Variable& heap = variables().front();
  const auto environment = [](std::string_view name) -> const char* {
    return name == "SMA_SYMMETRIC_SIZE" ? "4m" : nullptr;
  };
  const Setting set =
      setting_of(heap, [&](const char* name) -> const char* { return environment(name); });
  EXPECT_EQ(set.variable, "SMA_SYMMETRIC_SIZE");
  EXPECT_EQ(set.value, "4m");
  const Setting unset = setting_of(heap, [](const char*) -> const char* { return nullptr; });
  EXPECT_EQ(unset.variable, "");
  EXPECT_EQ(unset.value, "auto");
}

TEST(options, heap_of_nothing_is_the_smallest_heap_not_the_default) {
  EXPECT_EQ((*Variables({{"GONDWANA_HEAP_SIZE", "0"}}).read()).heap_size, 1U);
  EXPECT_EQ((*Variables({{"GONDWANA_HEAP_SIZE", "auto"}}).read()).heap_size, 0U);
}

TEST(options, refusal_names_the_variable_the_user_set) {
  EXPECT_EQ(refusal({{"GONDWANA_REMOTE_HEAP", "1T"}}),
            "GONDWANA_REMOTE_HEAP \"1T\": expected 268435456K or less");
  EXPECT_EQ(refusal({{"GONDWANA_HEAP_SIZE", "8q"}}),
            "GONDWANA_HEAP_SIZE \"8q\": expected a size such as 8192, 8K or 1.5G");
  EXPECT_EQ(refusal({{"SHMEM_SYMMETRIC_SIZE", "lots"}}),
            "SHMEM_SYMMETRIC_SIZE \"lots\": expected a nonnegative number, optionally followed by "
            "k, m, g or t, such as 512m or 1.5G");
  EXPECT_EQ(refusal({{"GONDWANA_HEAP_OVERCOMMIT", "maybe"}}),
            "GONDWANA_HEAP_OVERCOMMIT \"maybe\": expected yes or no");
  EXPECT_EQ(refusal({{"GONDWANA_PREFAULT", "nearby"}}),
            "GONDWANA_PREFAULT \"nearby\": expected off, local or interleave");
  EXPECT_EQ(refusal({{"GONDWANA_SPINS", "0"}}),
            "GONDWANA_SPINS \"0\": expected a whole number from 1 to 1000000000");
}

TEST(options, every_row_says_what_it_is_for) {
  for (const Variable& row : variables()) {
    const std::string_view name = row.name;
    const bool is_armci = name.starts_with("COMEX_") || name.starts_with("ARMCI_");
    EXPECT_EQ(name.starts_with("GONDWANA_") || is_armci,
              row.reader != Reader::gasnet && row.reader != Reader::profile)
        << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    Options options;
    EXPECT_TRUE(row.assign(row, row.fallback, options)) << row.name;
  }
}

TEST(options, misspelled_variable_is_told_with_the_nearest_known) {
  std::array<std::string, 6> entries{
      "GONDWANA_HEAPSIZE=1G", "GONDWANA_SPINS=5",    "PATH=/bin",
      "GONDWANA_JOIN_FD=3",   "GONDWANA_LIBRARY=/x", "GONDWANA_QUUX=1"};
  std::array<char*, entries.size() + 1> variables{};
  for (std::size_t i = 0; i < entries.size(); ++i) variables.at(i) = entries.at(i).data();
  const std::vector<std::string> expected{
      "GONDWANA_HEAPSIZE is not a variable of Gondwana; did you mean GONDWANA_HEAP_SIZE?",
      "GONDWANA_QUUX is not a variable of Gondwana"};
  EXPECT_EQ(unknown_variables(variables.data()), expected);
}

}  // namespace
}  // namespace gondwana
