#include "run/debugger/debugged_ranks.hpp"

#include <fmt/format.h>
#include <wordexp.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/own_files.hpp"
#include "run/command_line/choices.hpp"

namespace gondwana::launch {
namespace {

namespace fs = std::filesystem;

// The end of the ranks that are like `first`: all debugged, or none.
std::uint32_t end_of_same_kind(const RankRanges& ranks, std::uint32_t first, std::uint32_t end) {
  for (const auto& [begin, after] : ranks) {
    if (begin > first) end = std::min(end, begin);
    if (after > first) end = std::min(end, after);
  }
  return end;
}

}  // namespace

Result<RankRanges> parse_debugged_ranks(const std::string& text, std::uint32_t total) {
  if (text == "all") return RankRanges{{0, total}};
  if (std::optional<RankRanges> ranks = parse_ranks(text, total)) return *std::move(ranks);
  return wrong(fmt::format("--gdb {}: expected ranks from 0 to {}, such as 0, 0,3-5 or all", text,
                           total - 1));
}

void put_before(Job& job, const RankRanges& ranks, const std::vector<std::string>& before) {
  std::vector<Program> programs;
  std::uint32_t first = 0;
  for (const Program& program : job.programs) {
    const std::uint32_t end = first + program.ranks;
    while (first < end) {
      const std::uint32_t next = end_of_same_kind(ranks, first, end);
      Program& part = programs.emplace_back(program);
      part.ranks = next - first;
      if (contains(ranks, first))
        part.words.insert(part.words.begin(), before.begin(), before.end());
      first = next;
    }
  }
  job.programs = std::move(programs);
}

Result<std::vector<std::string>> gdb_command(const std::string& arguments) {
  wordexp_t found{};
  if (::wordexp(arguments.c_str(), &found, WRDE_NOCMD) != 0)
    return wrong(
        fmt::format("--gdb-args \"{}\": expected words as a shell takes them, such as "
                    "\"-batch -ex run -ex bt\", or \"-ex 'break solve'\"",
                    arguments));
  std::vector<std::string> words{"gdb"};
  words.insert(words.end(), found.we_wordv, found.we_wordv + found.we_wordc);
  words.emplace_back("--args");
  ::wordfree(&found);
  return words;
}

std::vector<std::string> attach_command(pid_t process) {
  const std::optional<fs::path> printers = find_own_file(GONDWANA_PRINTERS, {"."});
  std::vector<std::string> words{
      "gdb", "-q", "-iex", "set pagination off", "-p", fmt::to_string(process)};
  if (printers) words.insert(words.begin() + 2, {"-x", printers->string()});
  for (const char* command :
       {"tcatch exec", "continue", "tbreak main", "continue", "set pagination on"}) {
    words.emplace_back("-ex");
    words.emplace_back(command);
  }
  return words;
}

}  // namespace gondwana::launch
