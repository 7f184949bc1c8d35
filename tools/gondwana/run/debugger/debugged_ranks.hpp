// Ranks under gdb: --gdb and --gdb-args.
//
// With --gdb-args gdb takes the place of the rank and starts its program. Otherwise the process of
// the rank waits until a gdb has attached, and then becomes the program: its input and output stay
// as they are, and the gdb may run in any terminal.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Begin and end of ranges, in order, apart from each other.
using RankRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// "0,3-5" or "all", of a job of `total` ranks.
Result<RankRanges> parse_ranks(const std::string& text, std::uint32_t total);

bool contains(const RankRanges& ranks, std::uint32_t rank);

// Gives those ranks programs of their own: `before`, and then the words that they had.
void put_before(Job& job, const RankRanges& ranks, const std::vector<std::string>& before);

// The words of gdb before those of the program, from the text of --gdb-args, in which quotes are
// as in a shell.
Result<std::vector<std::string>> words_of_gdb(const std::string& arguments);

// What attaches to a process that waits, and goes on to main(). It knows our handles if the file
// for that is installed.
std::vector<std::string> words_to_attach(pid_t process);

}  // namespace gondwana::launch
