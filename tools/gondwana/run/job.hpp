// The job that the user has requested: plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "link/host.hpp"
#include "memory/control_page.hpp"
#include "memory/node_plan.hpp"
#include "modules/binding/topology.hpp"

namespace gondwana::launch {

using binding::Binding;
using link::Host;

// One of the programs of a job: `ranks` copies, numbered after those of the program before.
struct Program {
  std::uint32_t ranks = 0;
  std::vector<std::string> words;        // name and arguments
  std::string path;                      // the file that the name resolves to
  std::vector<std::string> environment;  // VAR=value, in addition to the launcher's environment
  std::string folder;                    // its working folder; empty: the launcher's
};

// The part of a job on this host: ranks from `first`, as many as Job::ranks().
struct Share {
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
  std::uint32_t first = 0;
  std::uint32_t total = 0;  // number of ranks on all hosts, at the start of the job
  std::uint64_t tag = 0;    // a random number that identifies a job on several hosts; 0: one host
  std::uint32_t peer_timeout_s = 0;  // how long another host may be silent; 0: no limit
  std::uint32_t max_total = 0;       // that the job may have on several hosts; 0: total
  std::uint32_t spare_nodes = 0;     // see NodeShare
  std::uint64_t began_s = 0;         // when a job on several hosts began, in seconds since 1970
  // For ranks that join later, on a node that is added for them.
  Session session = {};           // these ranks, of all hosts; none: the ranks of the start
  std::uint32_t added_nodes = 0;  // so far, with this one and those after it
  // If this node takes the place of a lost one: how often each of its ranks was replaced before.
  // The session then has all ranks of the job.
  std::vector<std::uint32_t> incarnations = {};
  std::uint32_t past_changes = 0;  // of the roster: its ranks start once it knows them

  bool has_conductor() const { return tag != 0; }
  bool joins_later() const { return session.ranks > 0; }
  bool is_replacement() const { return !incarnations.empty(); }
  // The ranks that have a number when these start.
  std::uint32_t size() const { return joins_later() ? session.end() : total; }
  std::uint32_t capacity() const { return max_total > total ? max_total : total; }
  // Each node that is added has a rank.
  std::uint32_t node_capacity() const { return nodes + capacity() - total + spare_nodes; }
};

enum class Purpose { run, show, help, version };

// The values of --trace and GONDWANA_TRACE.
struct TraceOptions {
  std::string file;            // absolute name of a file that is written at the end; empty: none
  bool after_failure = false;  // or write a file named after the job if the job fails
  std::uint32_t last_ms = 0;   // keep only this much; 0: all

  bool is_on() const { return !file.empty() || after_failure; }
  bool is_written(int status) const { return !file.empty() || (after_failure && status != 0); }
};

// Standard streams of ranks.
struct StreamWish {
  bool label = false;                      // begin each line with "[3] "
  bool timestamps = false;                 // begin each line with the time
  std::string folder;                      // for rank.N.out and rank.N.err; empty: our output
  std::optional<std::uint32_t> reader{0};  // the rank that reads our standard input
  bool prompts = false;  // for a remote launcher: the launcher's output is a terminal
};

struct BindingWish {
  Binding to = Binding::none;
  bool is_reported = false;
};

struct ProfileOptions {
  bool has_table = false;
  std::string page;  // absolute name of a file that is written at the end; empty: none
};

struct GdbWish {
  std::string ranks;      // "0,3-5" or "all"; empty: none
  std::string arguments;  // arguments of the gdb that starts them; empty: they wait for a gdb
};

// How often ranks that die are started again.
struct RestartWish {
  static constexpr std::uint32_t most = 10'000;
  static constexpr std::uint32_t most_nodes = 1'000;  // that take the place of lost ones

  std::uint32_t times = 0;    // in the whole job
  bool keeps_memory = false;  // the new process has the memory of the dead one

  Replacement replacement() const {
    if (times == 0) return Replacement::none;
    return keeps_memory ? Replacement::kept : Replacement::empty;
  }
};

struct Job {
  Purpose purpose = Purpose::run;
  std::vector<Program> programs;
  std::vector<Host> hosts;                      // empty: this host
  std::optional<std::uint32_t> ranks_per_host;  // replaces the slots of the hosts
  std::uint32_t max_on_node = 0;                // ranks that share memory; 0: all of a host
  Share share;
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<OnDeath> on_death;  // nothing: GONDWANA_ON_DEATH
  std::optional<std::uint32_t>
      max_ranks;  // that the job may have while it runs; nothing: its ranks
  RestartWish restart;
  StreamWish streams;
  BindingWish binding;
  ProfileOptions profile;
  TraceOptions trace;
  GdbWish gdb;
  bool verbose = false;

  bool continues_after_death() const { return on_death == OnDeath::go_on; }
  NodeRanks node_ranks() const { return {share.first, ranks()}; }
  // The number of ranks on this host.
  std::uint32_t ranks() const {
    std::uint32_t sum = 0;
    for (const Program& program : programs) sum += program.ranks;
    return sum;
  }
};

}  // namespace gondwana::launch
