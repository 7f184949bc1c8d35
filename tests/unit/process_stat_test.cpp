#include "core/process_stat.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "core/new_file.hpp"

namespace gondwana {
namespace {

TEST(process_stat, a_name_may_have_brackets_blanks_and_ends_of_lines) {
  const std::string file = testing::TempDir() + "/process_stat_" + std::to_string(::getpid());
  ASSERT_TRUE(write_file(file, "7 (a) R 1\n b) T 5 6 7 8 9 10 11 12 13 14 2 3 4 5 20 0 17 0 99\n"));
  const ProcessStat stat = read_stat(file);
  ::unlink(file.c_str());
  EXPECT_TRUE(stat.is_stopped());
  EXPECT_EQ(stat.parent, 5);
  const auto tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(stat.used_ns, 5 * tick_ns);
  EXPECT_EQ(stat.used_by_children_ns, 9 * tick_ns);
  EXPECT_EQ(stat.threads, 17U);
}

TEST(process_stat, this_process_is_there) {
  EXPECT_EQ(stat_of(::getpid()).state, 'R');
  EXPECT_EQ(stat_of(::getpid()).parent, ::getppid());
  EXPECT_TRUE(read_stat("/proc/none/stat").is_gone());
}

TEST(process_stat, a_status_has_numbers_by_name) {
  EXPECT_EQ(status_of(::getpid(), "Pid:", 10), static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(status_of(::getpid(), "SigKgt:", 16), std::nullopt);
  EXPECT_EQ(status_of(-1, "Pid:", 10), std::nullopt);
}

TEST(process_stat, a_process_has_a_command_line_variables_threads_and_children) {
  const pid_t self = ::getpid();
  EXPECT_NE(command_line_of(self).find("unit_tests"), std::string::npos);
  EXPECT_EQ(command_line_of(-1), "");
  EXPECT_EQ(variable_of(self, "PATH"), std::getenv("PATH"));
  EXPECT_EQ(variable_of(self, "PAT"), "");
  EXPECT_EQ(thread_name(self, self), "unit_tests");
  EXPECT_EQ(tracer_of(self), 0);
  EXPECT_EQ(std::ranges::count(numbers_in_folder("/proc"), self), 1);
  EXPECT_TRUE(numbers_in_folder("/proc/none").empty());
  EXPECT_EQ(children_of(-1, -1), std::nullopt);
}

// A read of /proc fails where the process has ended after the file was opened.
TEST(process_stat, a_process_may_end_while_its_command_line_is_read) {
  for (int round = 0; round < 100; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      char byte = 0;
      ::close(pipe[1]);
      ::_exit(static_cast<int>(::read(pipe[0], &byte, 1)));
    }
    ::close(pipe[0]);
    std::thread end([&] {
      ::close(pipe[1]);
      ::waitpid(child, nullptr, 0);
    });
    while (!command_line_of(child).empty()) {
    }
    end.join();
  }
}

}  // namespace
}  // namespace gondwana
