#include "run/debugger/debug_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/own_files.hpp"
#include "base/program_path.hpp"
#include "bootstrap/job_memory.hpp"
#include "link/way_to_host.hpp"
#include "run/debugger/attach_debugger.hpp"
#include "run/debugger/debugged_ranks.hpp"
#include "run/debugger/waiting_rank.hpp"

namespace gondwana::launch {
namespace {

std::uint32_t count(const RankRanges& ranks) {
  std::uint32_t sum = 0;
  for (const auto& [first, end] : ranks) sum += end - first;
  return sum;
}

std::vector<std::string> wait_command(const std::string& file) {
  return {own_path().string(), "run", std::string(wait_for_debugger_option), file};
}

bool is_here(const Host& host) {
  return link::is_this_host(host.name);
}

// srun cannot give a terminal to a step that it starts in addition to a job.
bool may_have_window(const Host& host) {
  return is_here(host) || leads_by_ssh(host);
}

std::vector<RemoteDebugger> remote_debuggers(const Job& job, const RankRanges& ranks,
                                             const std::string& mark) {
  std::vector<RemoteDebugger> debuggers;
  std::uint32_t first = 0;
  for (const Host& host : job.hosts) {
    const std::uint32_t end = std::min(job.ranks(), first + host.slots);
    for (std::uint32_t rank = first; rank < end; ++rank)
      if (contains(ranks, rank))
        debuggers.push_back(
            {rank, remote_terminal_command(host, {"run", std::string(attach_debugger_option), mark,
                                                  fmt::to_string(rank)})});
    first = end;
  }
  return debuggers;
}

Result<std::optional<DebuggerWindows>> open_windows(Job& job, const RankRanges& ranks,
                                                    DebuggerPlace place) {
  const bool all_here = std::ranges::all_of(job.hosts, is_here);
  if (place == DebuggerPlace::terminal) job.streams.reader.reset();  // typed input is for gdb
  const Result<std::uint64_t> number = random_number();
  if (!number) return number.error();
  const std::string mark = fmt::format("{:x}", *number);
  Result<DebuggerWindows> opened = DebuggerWindows::open(
      place, all_here ? std::vector<RemoteDebugger>() : remote_debuggers(job, ranks, mark));
  if (!opened) return opened.error();
  put_before(job, ranks, wait_command(all_here ? opened->file() : before_mark + mark));
  return std::optional<DebuggerWindows>(*std::move(opened));
}

}  // namespace

Result<std::optional<DebuggerWindows>> put_under_gdb(Job& job) {
  std::optional<DebuggerWindows> windows;
  const Result<RankRanges> ranks = parse_debugged_ranks(job.gdb.ranks, job.ranks());
  if (!ranks) return ranks.error();
  const bool all_here = std::ranges::all_of(job.hosts, is_here);
  if (const Result<std::string> gdb = find_program("gdb", ""); all_here && !gdb)
    return Error{gdb.error().code, "--gdb: " + gdb.error().text + "; install gdb"};
  if (!job.gdb.arguments.empty()) {
    const Result<std::vector<std::string>> words = gdb_command(job.gdb.arguments);
    if (!words) return words.error();
    put_before(job, *ranks, *words);
    return windows;
  }
  const bool may_open =
      job.purpose == Purpose::run && std::ranges::all_of(job.hosts, may_have_window);
  const DebuggerPlace place = may_open ? choose_place(count(*ranks)) : DebuggerPlace::printed;
  if (place == DebuggerPlace::printed) {
    put_before(job, *ranks, wait_command("-"));
    return windows;
  }
  return open_windows(job, *ranks, place);
}

}  // namespace gondwana::launch
