// What the ranks of a simulated job do, and what their memory must then hold.
//
// The program is a list of phases between barriers. In a phase, each part of memory has at most one
// writer, or is changed by operations whose order does not matter. So the standard determines what
// each get returns and what memory holds after the barrier, whatever order the seed chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulation/random.hpp"

namespace gondwana::simulation {

enum class Act : std::uint8_t {
  put,             // to the area of this rank at `pe`; the source is overwritten after the call
  put_nbi,         // the source is overwritten after a quiet
  put_word,        // one element
  put_words,       // all elements, each by a call of its own
  put_strided,     // every second word of the area
  put_blocks,      // the same with blocks of four words
  put_signal,      // mail, with a signal
  put_signal_nbi,  // the same, whose source is overwritten after a quiet
  put_flag,        // mail, a fence, and a word
  get,             // of `size` bytes from an area
  get_nbi,         // the same, complete after a quiet
  get_words,       // the same, in pieces of `value` bytes
  get_strided,     // every second word
  fence,
  quiet,
  add,  // to a sum at `pe`
  fetch_add,
  fetch_add_nbi,  // complete after a quiet
  toggle,         // an exclusive or with a word at `pe`
  swap,           // with the cell of this rank at `pe`; it finds `found`
  compare_swap,   // the same; `other` is compared
  accumulate,     // to elements at `pe`
  request_short,  // an active message to `pe`, which replies
  request_medium,
  request_long,
  count_locked,  // adds 1 to a word at rank 0, under a lock
  compute,       // makes no call for `value` ns
};

struct Action {
  Act act;
  std::uint32_t pe = 0;
  std::uint32_t writer = 0;  // whose area a get reads
  std::size_t offset = 0;    // in the area, in bytes; or the number of a sum or an element
  std::size_t size = 0;      // in bytes
  std::uint64_t value = 0;
  std::uint64_t other = 0;
  // Determined by settle().
  std::uint64_t found = 0;
  std::vector<std::byte> bytes{};  // what is put, or expected
};

enum class Together : std::uint8_t { nothing, sum, fcollect, broadcast, alltoall, sync };

// By target and writer.
template <typename T>
using Matrix = std::vector<std::vector<T>>;

// The memory of a job.
struct State {
  Matrix<std::vector<std::byte>> areas;
  Matrix<std::uint64_t> cells;
  Matrix<std::uint64_t> sums;       // by rank and number
  std::vector<std::uint64_t> bits;  // by rank
  Matrix<std::uint64_t> totals;     // by rank and element
  std::uint64_t locked = 0;         // at rank 0
};

struct Phase {
  Matrix<Action> actions;  // of each rank
  Together together = Together::nothing;
  bool in_team = false;      // the collective: of the program's team, or of all ranks
  std::size_t elements = 1;  // of the collective
  std::uint32_t root = 0;
  // Determined by settle().
  State after;
  Matrix<std::vector<std::byte>> mail;  // by target and writer; empty: nothing
  Matrix<std::uint32_t> requests;       // by target and sender
};

// Ranks start, stride and so on, `size` of them.
struct TeamShape {
  std::uint32_t start = 0;
  std::uint32_t stride = 1;
  std::uint32_t size = 1;
};

// A process that is killed. Of a node: its agent and all of its ranks.
struct Loss {
  enum class What : std::uint8_t { rank, agent, node };
  What what = What::rank;
  std::uint32_t number = 0;  // of the rank or the node
  std::uint64_t after_ns = 0;
  bool is_reset = false;  // operations to it fail; or there is no answer
};

struct Program {
  static constexpr std::size_t sums = 4;
  static constexpr std::size_t max_elements = 600;
  static constexpr std::size_t totals = 5000;  // elements, in several stripes
  static constexpr std::size_t longs = 8;      // long messages to a rank in a phase
  static constexpr std::size_t long_size = 3000;

  std::vector<std::uint32_t> nodes;  // ranks of each
  bool through_agent = false;        // agents carry all messages
  std::uint32_t spins = 1;
  std::size_t eager_limit = 2048;
  std::size_t batch_limit = 0;
  std::size_t area_size = std::size_t{16} * 1024;
  std::size_t mail_size = std::size_t{4} * 1024;
  std::uint32_t sessions = 1;  // of init and finalize, with all phases in each
  bool has_messages = false;   // opens the door of GASNet-EX
  TeamShape team;
  std::uint32_t peer_timeout_s = 0;
  std::optional<Loss> loss;
  std::vector<Phase> phases;

  std::uint32_t ranks() const;
};

Program draw_program(std::uint64_t seed);
// Of different values, different bytes.
std::vector<std::byte> bytes_of(std::uint64_t value, std::size_t size);
// Determines what the actions find and leave.
void settle(Program& program);
std::string describe(const Program& program);
std::string list_actions(const Program& program);
// Each makes a program one step smaller, the largest steps first. settle() must follow.
using Change = std::function<void(Program&)>;
std::vector<Change> ways_to_shrink(const Program& program);

}  // namespace gondwana::simulation
