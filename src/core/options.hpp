// The environment variables of Gondwana: one table, from which they are parsed, described and, when
// misspelled, corrected. GONDWANA_ names win over the names other libraries gave the same thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm.hpp"
#include "core/result.hpp"

namespace gondwana {

// When the pages of a heap are taken from the machine: as each is first touched, or all at start,
// then near their rank or from all NUMA domains in turn.
enum class Prefault : std::uint8_t { off, local, interleave };

// How the messages of a rank go to other nodes: by an endpoint of its own, or through the agent of
// its node.
enum class RouteOption : std::uint8_t { automatic, endpoint, agent };

// What of the symmetric memory a core dump has: the program's variables, or also its heap.
enum class Core : std::uint8_t { variables, heap };

struct Options {
  std::size_t heap_size = 0;  // bytes of symmetric heap per rank; 0: half of memory, shared out
  bool heap_overcommit = false;
  Prefault prefault = Prefault::off;
  Core core = Core::variables;
  bool hugetlb = false;     // the heap lies on huge pages that were set aside, as far as they go
  std::uint32_t spins = 0;  // looks before the first yield; 0: chosen from the load of the node
  Algorithms algorithms;    // of collectives
  std::uint32_t join_timeout = 0;  // seconds until all ranks of a foreign launcher must have come
  std::uint32_t peer_timeout = 0;  // seconds of silence that mean that a host is gone; 0: none
  std::size_t eager_limit = 0;     // bytes of a put that still goes as a message between nodes
  RouteOption route = RouteOption::automatic;
  std::string network_library;   // ofi or ucx; empty: chosen
  std::string provider;          // of libfabric; empty: chosen
  std::string network;           // in CIDR notation; empty: chosen
  bool version = false;          // rank 0 says who it is when it starts
  bool info = false;             // and what these variables are
  bool checks = false;           // arguments of all calls are examined
  bool backtrace = false;        // a crash prints the stack
  bool freeze = false;           // the program waits for a debugger when it starts
  bool freeze_on_error = false;  // and when it crashes
  std::uint32_t node_ranks = 0;  // that share memory at most; 0: all on a machine
};

// One variable. `aliases` are other spellings, in falling precedence.
struct OptionRow {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::string_view fallback;  // parsed by the same code as the user's text
  std::string_view help;
  std::function<Result<void>(Options&, std::string_view)> assign;
  // Values of the aliases, where their standard spells them another way; empty: as assign.
  std::function<Result<void>(Options&, std::string_view)> assign_alias = {};
};

std::span<const OptionRow> option_table();

// Returns the value of a variable, or null. Tests pass their own; programs pass std::getenv.
using Environment = std::function<const char*(const char*)>;

// The value of a row, and the variable that gave it; no variable: it is the fallback.
struct Setting {
  std::string_view variable;
  std::string value;
};
Setting setting_of(const OptionRow& row, const Environment& environment);

// Reads every row. The error names the variable, what it said and what was expected.
Result<Options> read_options(const Environment& environment);

// A sentence for every GONDWANA_ variable in `environ` that no row knows, with the nearest known.
std::vector<std::string> unknown_variables(char** environ);

}  // namespace gondwana
