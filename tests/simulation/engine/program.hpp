// What the ranks of a simulated job do, and what their memory must then hold.
//
// The program is a list of phases between barriers. In a phase, each part of memory has at most one
// writer, or is changed by operations whose order does not matter. So the standard determines what
// each get returns and what memory holds after the barrier, whatever order the seed chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/random.hpp"

namespace gondwana::simulation {

enum class Act : std::uint8_t {
  put,          // to the area of this rank at `pe`; the source is overwritten after the call
  put_nbi,      // the source is overwritten after a quiet
  put_word,     // one element
  put_strided,  // every second word of the area
  put_signal,   // mail, with a signal
  put_flag,     // mail, a fence, and a word
  get,          // `bytes` are expected
  get_nbi,      // the same, after a quiet
  fence,
  quiet,
  add,  // to a sum at `pe`
  fetch_add,
  count_locked,  // adds 1 to a word at rank 0, under a lock
  compute,       // makes no call for `value` ns
};

struct Action {
  Act act;
  std::uint32_t pe = 0;
  std::uint32_t writer = 0;  // whose area a get reads
  std::size_t offset = 0;    // in the area, in bytes; or the number of the sum
  std::uint64_t value = 0;
  std::vector<std::byte> bytes{};
};

enum class Together : std::uint8_t { nothing, sum, fcollect, broadcast, alltoall, sync };

// Bytes by target and writer.
using Areas = std::vector<std::vector<std::vector<std::byte>>>;

struct Phase {
  std::vector<std::vector<Action>> actions;      // of each rank
  Areas areas;                                   // after it
  Areas mail;                                    // what is sent; empty: nothing
  std::vector<std::vector<std::uint64_t>> sums;  // of each rank, after it
  std::uint64_t locked = 0;                      // at rank 0, after it
  Together together = Together::nothing;
  std::size_t elements = 1;  // of the collective
  std::uint32_t root = 0;
};

struct Program {
  static constexpr std::size_t area_size = std::size_t{16} * 1024;
  static constexpr std::size_t mail_size = std::size_t{4} * 1024;
  static constexpr std::size_t sums = 4;
  static constexpr std::size_t max_elements = 600;

  std::vector<std::uint32_t> nodes;  // ranks of each
  bool through_agent = false;        // agents carry all messages
  std::uint32_t spins = 1;
  std::size_t eager_limit = 2048;
  std::size_t batch_limit = 0;
  std::vector<Phase> phases;

  std::uint32_t ranks() const;
};

Program draw_program(std::uint64_t seed);
std::string describe(const Program& program);

}  // namespace gondwana::simulation
