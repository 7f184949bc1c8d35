// The subjects that `gondwana bench` measures, and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/command_line.hpp"
#include "core/result.hpp"
#include "report/bench/door.hpp"
#include "report/bench/peer.hpp"

namespace gondwana::bench {

enum class Unit { microseconds, megabytes, millions, milliseconds, kibibytes };

// The variable against which the figures of an operation are plotted.
enum class Axis { bytes, ranks, none };

// The object that a figure measures.
enum class Kind {
  operation,  // one operation, many times in a job
  program,    // the work of all ranks, on 1, 2, 4 ... ranks
  job         // its start or its memory: each figure has its own job of 2, 4, 8 ... ranks
};

// A row of the table of subjects; most rows leave out the last members.
struct Subject {
  std::string_view name;  // "latency"
  Programs programs;
  std::string_view group;  // the name of this subject in the programs
  std::string_view title;
  Unit unit;
  std::string_view control;  // the control that is measured in the same rounds
  Axis axis = Axis::bytes;
  Kind kind = Kind::operation;
  std::uint64_t word_bytes = 1;                    // sizes are multiples of this
  std::uint64_t largest = std::uint64_t{1} << 20;  // default of -m
  std::uint32_t ranks = 2;                         // default of -n
  std::uint32_t rounds = 20;                       // default of -r
};

enum class Format { table, osu, csv, json };

// How one subject is measured and reported.
struct Choices {
  Subject subject{};
  Door door = Door::shmem;
  std::uint32_t ranks = 2;       // with Axis::ranks, the maximum
  std::string hosts;             // the format of `gondwana run --hosts`; empty: this machine
  std::vector<Peer> peers = {};  // those that have this subject and door
  std::uint32_t rounds = 20;
  std::uint64_t smallest = 1;
  std::uint64_t largest = std::uint64_t{1} << 20;
  Format format = Format::table;

  // With Axis::ranks, each number of ranks to measure; otherwise, or with hosts, one number.
  std::vector<std::uint32_t> rank_counts() const;
};

struct Request {
  std::string help = {};  // the text to print instead; empty: measure
  std::vector<Choices> measurements = {};
  std::string page = {};  // the file of the report; empty: standard output
};

Result<Request> parse(const std::vector<std::string>& words);
// The options, for completion.
OptionList list_options();

}  // namespace gondwana::bench
