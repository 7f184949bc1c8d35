// Ranks under gdb: --gdb and --gdb-args.
//
// With --gdb-args gdb replaces the rank and starts its program. Otherwise the rank's process waits
// until a gdb has attached, and then becomes the program. Its input and output stay unchanged, and
// gdb may run in any terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rank_ranges.hpp"
#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Parses "0,3-5" or "all" for a job of `total` ranks.
Result<RankRanges> parse_debugged_ranks(const std::string& text, std::uint32_t total);

// Prefixes the command lines of those ranks with `before`, as programs of their own.
void put_before(Job& job, const RankRanges& ranks, const std::vector<std::string>& before);

// The words of gdb that precede the program's, parsed from --gdb-args with shell quoting.
Result<std::vector<std::string>> gdb_command(const std::string& arguments);

// The command line that attaches gdb to a waiting process and continues to main(). It includes our
// pretty-printers if they are installed.
std::vector<std::string> attach_command(pid_t process);

}  // namespace gondwana::launch
