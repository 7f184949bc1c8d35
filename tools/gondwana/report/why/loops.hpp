// Ranks that run in a short loop of the program, which waits for a variable perhaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"

namespace gondwana::why {

// Sets `loop` of the rank if all of these looks, and enough of them, found its first thread that
// runs in the program at the same few instructions: "heat.c:41 in main". Sets `loop_reads`, too,
// where these name a variable and the rank is on this host.
void find_loop(jobs::RankSeen& rank, const std::vector<stacks::Place>& looks);

// What to make of them.
std::string describe_loop(const jobs::RankSeen& rank);

// An instruction of x86-64 that reads an address, which it gives relative to itself.
struct Reading {
  std::uint64_t begin;  // but for bytes that precede the code of the operation
  std::uint64_t end;
  std::uint64_t address;
};

// `code` lies at `begin` and need not start with an instruction, so some may be wrong.
std::vector<Reading> readings_in(std::span<const std::byte> code, std::uint64_t begin);

}  // namespace gondwana::why
