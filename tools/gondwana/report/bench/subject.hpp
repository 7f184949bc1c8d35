// The subjects that `gondwana bench` measures, and the words that ask for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "report/bench/peer.hpp"

namespace gondwana::bench {

enum class Unit { microseconds, megabytes, millions, milliseconds, kibibytes };

// What the figures of an operation are shown over.
enum class Axis { bytes, ranks, none };

// What a figure is of.
enum class Kind {
  operation,  // one, of many in a job
  program,    // the work of all ranks, on 1, 2, 4 ... of them
  job         // its start or its memory: each figure has a job of its own, of 2, 4, 8 ... ranks
};

enum class Door { shmem, gasnetex, armci };

// The measuring program of a door, or none.
struct Programs {
  std::string_view shmem;
  std::string_view gasnetex;
  std::string_view armci;

  std::string_view of(Door door) const;
};

struct Subject {
  std::string_view name;  // "latency"
  Programs programs;
  std::string_view group;  // what these programs call it
  std::string_view title;
  Unit unit;
  std::string_view control;  // what stands beside it in each round
  Axis axis = Axis::bytes;
  Kind kind = Kind::operation;
  std::uint64_t word_bytes = 1;                    // sizes are whole numbers of them
  std::uint64_t largest = std::uint64_t{1} << 20;  // size unless -m says otherwise
  std::uint32_t ranks = 2;                         // unless -n says otherwise
  std::uint32_t rounds = 20;                       // unless -r says otherwise
};

enum class Format { table, csv, json };

// How one subject is measured and told.
struct Choices {
  Subject subject{};
  Door door = Door::shmem;
  std::uint32_t ranks = 2;  // with Axis::ranks the greatest number of them
  std::string hosts;        // as for `gondwana run --hosts`; empty: this machine
  PeerCommands peer{};
  std::uint32_t rounds = 20;
  std::uint64_t smallest = 1;
  std::uint64_t largest = std::uint64_t{1} << 20;
  Format format = Format::table;

  // With Axis::ranks each number of ranks that is measured, unless hosts have them.
  std::vector<std::uint32_t> rank_counts() const;
};

struct Request {
  bool help = false;
  std::vector<Choices> measurements;
  std::string page;  // where the report goes; empty: to the standard output
};

// "OpenSHMEM"
std::string_view name_of(Door door);

Result<Request> parse(const std::vector<std::string>& words);
std::string help_text();

}  // namespace gondwana::bench
