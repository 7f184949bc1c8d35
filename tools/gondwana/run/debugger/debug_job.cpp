#include "run/debugger/debug_job.hpp"

#include <algorithm>
#include <filesystem>

#include "run/command_line/program_path.hpp"
#include "run/debugger/debugged_ranks.hpp"
#include "run/debugger/waiting_rank.hpp"
#include "run/remote/way_to_host.hpp"

namespace gondwana::launch {
namespace {

std::uint32_t count(const RankRanges& ranks) {
  std::uint32_t sum = 0;
  for (const auto& [first, end] : ranks) sum += end - first;
  return sum;
}

std::vector<std::string> words_to_wait(const std::string& file) {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return {self.string(), "run", std::string(wait_for_debugger_option), file};
}

}  // namespace

Result<std::optional<DebuggerWindows>> put_under_gdb(Job& job) {
  std::optional<DebuggerWindows> windows;
  const Result<RankRanges> ranks = parse_ranks(job.gdb_ranks, job.ranks());
  if (!ranks) return ranks.error();
  const bool is_here =
      std::ranges::all_of(job.hosts, [](const Host& host) { return is_this_host(host.name); });
  if (const Result<std::string> gdb = find_program("gdb", ""); is_here && !gdb)
    return Error{gdb.error().code, "--gdb: " + gdb.error().text + "; install gdb"};
  if (!job.gdb_arguments.empty()) {
    const Result<std::vector<std::string>> words = words_of_gdb(job.gdb_arguments);
    if (!words) return words.error();
    put_before(job, *ranks, *words);
    return windows;
  }
  const DebuggerPlace place =
      is_here && job.purpose == Purpose::run ? choose_place(count(*ranks)) : DebuggerPlace::printed;
  if (place == DebuggerPlace::printed) {
    put_before(job, *ranks, words_to_wait("-"));
    return windows;
  }
  if (place == DebuggerPlace::terminal) job.reader.reset();  // what is typed is for gdb
  Result<DebuggerWindows> opened = DebuggerWindows::open(place);
  if (!opened) return opened.error();
  windows = *std::move(opened);
  put_before(job, *ranks, words_to_wait(windows->file()));
  return windows;
}

}  // namespace gondwana::launch
