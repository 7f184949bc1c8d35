// The subjects that `gondwana bench` measures, and the words that ask for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peer.hpp"
#include "core/result.hpp"

namespace gondwana::bench {

enum class Unit { microseconds, megabytes, millions };

struct Subject {
  std::string_view name;     // "latency"
  std::string_view program;  // that measures it
  std::string_view group;    // what this program calls it
  std::string_view title;
  Unit unit;
  std::string_view control;      // what stands beside it in each round
  bool has_sizes = true;         // of the operands; otherwise the rows are operations
  std::uint64_t word_bytes = 1;  // sizes are whole numbers of them
};

enum class Format { table, csv, json };

// How one subject is measured and told.
struct Choices {
  Subject subject{};
  std::uint32_t ranks = 2;
  std::string hosts;  // as for `gondwana run --hosts`; empty: this machine
  PeerCommands peer{};
  std::uint32_t rounds = 20;
  std::uint64_t smallest = 1;
  std::uint64_t largest = std::uint64_t{1} << 20;
  Format format = Format::table;
};

struct Request {
  bool help = false;
  std::vector<Choices> measurements;
  std::string page;  // where the report goes; empty: to the standard output
};

Result<Request> parse(const std::vector<std::string>& words);
std::string help_text();

}  // namespace gondwana::bench
