// A litmus test: a program of two to four ranks on a few named locations, with outcomes that are
// forbidden or worth counting. docs/memory_model.md describes the format of the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gondwana::litmus {

enum class Act : std::uint8_t {
  // Transfers of whole locations. `i...`: strided.
  put,
  put_nbi,
  iput,
  get,
  get_nbi,
  iget,
  accumulate,
  // Single words
  p,
  g,
  set,
  fetch,
  fetch_nbi,
  add,
  fetch_add,
  swap,
  compare_swap,
  // Signals and waits
  put_signal,
  put_signal_nbi,
  signal_set,
  signal_add,
  signal_fetch,
  signal_wait,
  wait,
  wait_any,
  wait_all,
  notify,
  notify_wait,
  // Loads and stores of the language
  store,
  load,
  store_relaxed,
  load_relaxed,
  thread_fence,
  // Order
  fence,
  quiet,
  barrier,
  sync,
  // Collectives with data
  broadcast,
  sum,
  // Locks
  lock,
  unlock,
  // Active messages
  am_short,
  am_medium,
  am_long,
};

inline constexpr int nobody = -1;     // no rank: the own one
inline constexpr int nothing = -1;    // no register, no location, no word
inline constexpr long mixed = -9999;  // elements of a location that differ

// `x@1`, the copy of rank 1; `x`, the own copy; `x[2]@1`, one word of it.
struct Place {
  int location = nothing;
  int word = nothing;  // nothing: all words
  int rank = nobody;
};

// What is stored or compared: a number, a register, or the own copy of a location.
struct Value {
  long number = 0;
  int reg = nothing;
  int location = nothing;
};

struct Operation {
  Act act{};
  char context = 0;  // 'a' in `put.a`; 0: the default
  int reg = nothing;
  int result = nothing;  // the own location that takes the result
  Place place;           // `x@1` in `put x@1 1`
  Value value;
  Value other;          // the second number of cas
  Place signal;         // of put_signal and am_*
  long signal_value{};  // of put_signal and am_*
  int peer = nobody;    // the root of a collective, or the peer of a notification
};

struct Register {
  std::string name;
  int rank = nobody;
};

// A location is a few words that are accessed one by one, or an array that only transfers access.
// The runner draws the length of arrays.
struct Location {
  std::string name;
  std::size_t words = 1;
  bool is_array = true;
};

// What an outcome consists of: the value of a register, or of memory at the end.
struct Observed {
  int reg = nothing;
  Place place;
};

struct Term {
  std::size_t observed = 0;
  bool equal = true;  // `=`, not `!=`
  long value = 0;
};

struct Condition {
  bool is_forbidden = true;  // otherwise: weak, and allowed
  std::string text;
  std::vector<Term> terms;  // all must hold
};

struct Initial {
  Place place;
  long value = 0;
};

struct LitmusTest {
  std::string name;
  std::string door;     // shmem, gasnet or armci
  std::string promise;  // a sentence
  std::string clause;   // where it is written
  std::string relation;
  std::vector<std::vector<Operation>> programs;  // of each rank
  std::vector<Register> registers;
  std::vector<Location> locations;
  std::vector<Initial> initial;
  std::vector<Observed> observed;
  std::vector<Condition> conditions;

  int ranks() const { return static_cast<int>(programs.size()); }
};

}  // namespace gondwana::litmus
