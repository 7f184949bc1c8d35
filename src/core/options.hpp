// What the variables of a job say, read once at its start: core/variables.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/algorithm.hpp"
#include "core/memory_limit.hpp"

namespace gondwana {

// When the pages of a heap are taken from the machine: as each is first touched, or all at start,
// then near their rank or from all NUMA domains in turn.
enum class Prefault : std::uint8_t { off, local, interleave };

// How the messages of a rank go to other nodes: by an endpoint of its own, or through the agent of
// its node.
enum class RouteOption : std::uint8_t { automatic, endpoint, agent };

// What a crash prints after the name of the signal: nothing, the frames of the program, or all
// frames.
enum class Backtrace : std::uint8_t { none, brief, full };

// What of the symmetric memory a core dump has: the program's variables, or also its heap.
enum class Core : std::uint8_t { variables, heap };

struct Options {
  std::size_t heap_size = 0;  // bytes of symmetric heap per rank; 0: half of memory, shared out
  bool heap_overcommit = false;
  Prefault prefault = Prefault::off;
  Core core = Core::variables;
  bool hugetlb = false;  // the heap lies on huge pages that were set aside, as far as they go
  std::uint32_t emulated_devices = 0;                  // of each process
  std::size_t emulated_memory = std::size_t{1} << 30;  // bytes of each
  std::uint32_t emulated_latency = 0;                  // microseconds before each copy
  std::size_t emulated_bandwidth = 0;                  // bytes per second; 0: what memory gives
  std::uint32_t spins = 0;  // looks before the first yield; 0: chosen from the load of the node
  Algorithms algorithms;    // of collectives
  std::uint32_t join_timeout = 0;  // seconds until all ranks of a foreign launcher must have come
  std::uint32_t peer_timeout = 0;  // seconds of silence that mean that a host is gone; 0: none
  std::size_t eager_limit = 0;     // bytes of a put that still goes as a message between nodes
  std::size_t batch_limit = 0;     // bytes of small operations that go to another node together
  RouteOption route = RouteOption::automatic;
  std::string network_library;  // ofi or ucx; empty: chosen
  std::string provider;         // of libfabric; empty: chosen
  std::string network;          // in CIDR notation; empty: chosen
  std::string kinds;     // of devices, separated by commas; empty: those that the system shows
  bool version = false;  // rank 0 prints its version when it starts
  bool info = false;     // and what these variables are
  bool checks = false;   // arguments of all calls are examined
  Backtrace backtrace = Backtrace::brief;
  bool trace = false;                             // the last events of each thread are kept
  std::size_t trace_size = std::size_t{4} << 20;  // bytes of them
  bool freeze = false;                            // the program waits for a debugger when it starts
  bool freeze_on_error = false;                   // and when it crashes
  std::uint32_t node_ranks = 0;                   // that share memory at most; 0: all on a machine
  // Of programs that use ARMCI.
  bool armci_verbose = false;  // as `info`
  bool put_smp = true;         // all three: the processes of a machine share memory
  bool get_smp = true;
  bool acc_smp = true;
  // Of programs that use GASNet-EX.
  MemoryLimit segment_limit;       // of one segment
  MemoryLimit segments_limit;      // of all segments on a host
  std::uint64_t most_threads = 0;  // of a process that call the library
  std::uint64_t exit_timeout = 0;  // seconds that gasnet_exit(0) waits; 0: by the number of ranks

  // How many ranks share memory at most; 0: all on a machine.
  std::uint32_t most_on_node() const {
    if (node_ranks > 0) return node_ranks;
    return put_smp && get_smp && acc_smp ? 0 : 1;
  }
};

}  // namespace gondwana
