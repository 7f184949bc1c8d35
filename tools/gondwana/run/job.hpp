// What is to be run, as the user asked for it: values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "link/host.hpp"
#include "memory/node_ranks.hpp"
#include "modules/binding/topology.hpp"

namespace gondwana::launch {

using binding::Binding;
using link::Host;

// One of the programs of a job: `ranks` copies of it, numbered on from the program before.
struct Program {
  std::uint32_t ranks = 0;
  std::vector<std::string> words;        // its name and its arguments
  std::string path;                      // the file that the name means
  std::vector<std::string> environment;  // VAR=value, on top of what the launcher has
  std::string folder;                    // where it runs; empty: where the launcher runs
};

// What this host has of a job: the ranks from `first` on, as many as Job::ranks().
struct Share {
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
  std::uint32_t first = 0;
  std::uint32_t total = 0;  // ranks of all hosts
  std::uint64_t tag = 0;    // of a job of several hosts, random; 0: nobody else is concerned
  std::uint32_t peer_timeout_s = 0;  // silence of another host that means its end; 0: nothing does

  bool has_conductor() const { return tag != 0; }
};

enum class Purpose { run, show, help, version };

// Of --trace and GONDWANA_TRACE.
struct TraceWish {
  std::string file;            // with an absolute name, written at the end; empty: none
  bool after_failure = false;  // or a file named after the job, if it fails
  std::uint32_t last_ms = 0;   // only that much of it; 0: all

  bool is_on() const { return !file.empty() || after_failure; }
  bool is_written(int status) const { return !file.empty() || (after_failure && status != 0); }
};

// What ranks write and read.
struct StreamWish {
  bool label = false;                      // "[3] " before each line
  bool timestamps = false;                 // the time before each line
  std::string folder;                      // rank.N.out and rank.N.err go there; empty: to ours
  std::optional<std::uint32_t> reader{0};  // the rank that gets our standard input
  bool prompts = false;  // of a remote launcher: the launcher writes to a terminal
};

struct BindingWish {
  Binding to = Binding::none;
  bool is_reported = false;
};

struct ProfileWish {
  bool has_table = false;
  std::string page;  // a file with an absolute name, written at the end; empty: none
};

struct GdbWish {
  std::string ranks;      // "0,3-5" or "all"; empty: none
  std::string arguments;  // of a gdb that starts them; empty: they wait for a gdb
};

struct Job {
  Purpose purpose = Purpose::run;
  std::vector<Program> programs;
  std::vector<Host> hosts;                      // empty: this one
  std::optional<std::uint32_t> ranks_per_host;  // in place of the slots of the hosts
  Share share;
  std::optional<std::chrono::milliseconds> timeout;
  StreamWish streams;
  BindingWish binding;
  ProfileWish profile;
  TraceWish trace;
  GdbWish gdb;
  bool verbose = false;

  NodeRanks node_ranks() const { return {share.first, ranks()}; }
  // How many ranks this host has.
  std::uint32_t ranks() const {
    std::uint32_t sum = 0;
    for (const Program& program : programs) sum += program.ranks;
    return sum;
  }
};

}  // namespace gondwana::launch
