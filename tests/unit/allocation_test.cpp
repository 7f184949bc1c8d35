#include "run/command_line/allocation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

namespace gondwana::launch {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// "a:4 b:1", "none", or the error message.
std::string tell(const Variables& variables) {
  const auto hosts = find_allocation([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  if (!hosts) return hosts.error().text;
  if (!*hosts) return "none";
  std::string text;
  for (const Host& host : **hosts)
    text += (text.empty() ? "" : " ") + host.name + ":" + std::to_string(host.slots);
  return text;
}

TEST(allocation, of_slurm_gives_hosts_and_their_tasks) {
  EXPECT_EQ(tell({{"SLURM_JOB_NODELIST", "n[01-02,7],m5,r[9-11]c"},
                  {"SLURM_TASKS_PER_NODE", "4(x3),1,2(x3)"}}),
            "n01:4 n02:4 n7:4 m5:1 r9c:2 r10c:2 r11c:2");
  EXPECT_EQ(tell({{"SLURM_JOB_NODELIST", "n1"}, {"SLURM_JOB_CPUS_PER_NODE", "8"}}), "n1:8");
}

TEST(allocation, of_pbs_counts_the_lines_of_a_host) {
  const std::string path = testing::TempDir() + "gondwana_allocation_test";
  std::ofstream(path) << "a\na\nb\n";
  EXPECT_EQ(tell({{"PBS_NODEFILE", path}}), "a:2 b:1");
  std::remove(path.c_str());
  EXPECT_NE(tell({{"PBS_NODEFILE", path}}).find("cannot read it"), std::string::npos);
}

TEST(allocation, of_lsf_gives_hosts_and_their_slots) {
  EXPECT_EQ(tell({{"LSB_MCPU_HOSTS", "a 4 b 2 "}}), "a:4 b:2");
}

TEST(allocation, is_none_outside_and_in_one_of_several_processes_of_a_step) {
  EXPECT_EQ(tell({}), "none");
  Variables step{{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "2(x2)"}};
  EXPECT_EQ(tell(step), "n1:2 n2:2");
  step["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(tell(step), "n1:2 n2:2");
  step["SLURM_STEP_NUM_TASKS"] = "4";
  EXPECT_EQ(tell(step), "none");
  step.erase("SLURM_STEP_NUM_TASKS");
  step["GONDWANA_RANK"] = "0";
  EXPECT_EQ(tell(step), "none");
}

TEST(allocation, that_makes_no_sense_is_told) {
  const auto slurm = [](const char* names, const char* counts) {
    return tell({{"SLURM_JOB_NODELIST", names}, {"SLURM_TASKS_PER_NODE", counts}});
  };
  EXPECT_EQ(slurm("n[1-2]", "2"),
            "SLURM_TASKS_PER_NODE is for 1 hosts, SLURM_JOB_NODELIST names 2; name the hosts with "
            "--hosts");
  for (const char* names : {"n[1-", "n[2-1]", "n[]", ",", "n[a]", "n[1-99999999]", "n[1][2]"})
    EXPECT_NE(slurm(names, "1").find("SLURM_JOB_NODELIST: "), std::string::npos) << names;
  for (const char* counts : {"x", "2(x", "2(x)", "(x2)", "0", "2(x2", "1(x99999999)"})
    EXPECT_NE(slurm("n1", counts).find("SLURM_TASKS_PER_NODE"), std::string::npos) << counts;
  EXPECT_NE(slurm("-n", "1").find("a name cannot begin"), std::string::npos);
}

}  // namespace
}  // namespace gondwana::launch
