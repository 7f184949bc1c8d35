// Finds ranks that run in a short loop of the program, which may be waiting for a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"

namespace gondwana::why {

// Sets `loop` of the rank, for example "heat.c:41 in main", if every sample found the first thread
// that runs program code at the same few instructions, and there are enough samples. Sets
// `loop_reads` too if these instructions name a variable and the rank is on this host.
void find_loop(jobs::RankSeen& rank, const std::vector<stacks::Place>& samples);

// A message about the possible meaning of these loops.
std::string describe_loop(const jobs::RankSeen& rank);

// An x86-64 instruction that reads an address relative to itself.
struct Reading {
  std::uint64_t begin;  // after the prefix bytes
  std::uint64_t end;
  std::uint64_t address;
};

// `code` is at the address `begin`. It need not start with an instruction, so some results may be
// wrong.
std::vector<Reading> readings_in(std::span<const std::byte> code, std::uint64_t begin);

}  // namespace gondwana::why
