// The values of a job's variables, read once at its start: core/variables.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/algorithm.hpp"
#include "core/memory_limit.hpp"

namespace gondwana {

// When the pages of a heap are allocated: at the first touch of each, or all at start, near their
// rank or interleaved over the NUMA domains.
enum class Prefault : std::uint8_t { off, local, interleave };

// How a rank's messages go to other nodes: by its own endpoint, or through the agent of its node.
enum class RouteOption : std::uint8_t { automatic, endpoint, agent };

// What a crash prints after the name of the signal: nothing, the frames of the program, or all
// frames.
enum class Backtrace : std::uint8_t { none, brief, full };

// What a core dump includes of the symmetric memory: the program's variables, or also its heap.
enum class Core : std::uint8_t { variables, heap };

// What the death of a rank does: it ends the job, or the other ranks continue.
enum class OnDeath : std::uint8_t { end, go_on };

// One member for each variable of the environment: the list is long because the interface is.
struct Options {
  std::size_t heap_size = 0;    // bytes per rank; 0: half of memory, divided by the ranks
  std::size_t remote_heap = 0;  // bytes for blocks that any rank allocates at this rank
  bool heap_overcommit = false;
  Prefault prefault = Prefault::off;
  Core core = Core::variables;
  bool hugetlb = false;  // the heap uses huge pages that were set aside, as far as they suffice
  std::uint32_t emulated_devices = 0;                  // for each process
  std::size_t emulated_memory = std::size_t{1} << 30;  // bytes of each device
  std::uint32_t emulated_latency = 0;                  // microseconds before each copy
  std::size_t emulated_bandwidth = 0;                  // bytes per second; 0: the speed of memory
  std::uint32_t spins = 0;  // polls before the first yield; 0: chosen by the load of the node
  Algorithms algorithms;    // for collectives
  OnDeath on_death = OnDeath::end;
  std::uint32_t join_timeout = 0;  // seconds for all ranks of a foreign launcher to join
  std::uint32_t peer_timeout = 0;  // seconds of silence until a host counts as lost; 0: unlimited
  std::size_t eager_limit = 0;     // largest put between nodes, in bytes, that goes as a message
  std::size_t batch_limit = 0;     // bytes of small operations in one batch to another node
  RouteOption route = RouteOption::automatic;
  std::string network_library;  // ofi or ucx; empty: chosen
  std::string provider;         // libfabric's; empty: chosen
  std::string network;          // in CIDR notation; empty: chosen
  std::string kinds;            // of devices, separated by commas; empty: those that the system has
  bool version = false;         // rank 0 prints its version when it starts
  bool info = false;            // and the values of these variables
  bool checks = false;          // the arguments of all calls are checked
  Backtrace backtrace = Backtrace::brief;
  bool trace = false;                             // the last events of each thread are kept
  std::size_t trace_size = std::size_t{4} << 20;  // bytes for the events of each thread
  bool freeze = false;                            // the program waits for a debugger when it starts
  bool freeze_on_error = false;                   // and when it crashes
  std::uint32_t node_ranks = 0;  // most ranks that share memory; 0: all on a machine
  // For programs that use ARMCI.
  bool armci_verbose = false;  // as `info`
  bool put_smp = true;         // all three: the processes of a machine share memory
  bool get_smp = true;
  bool acc_smp = true;
  // For programs that use GASNet-EX.
  MemoryLimit segment_limit;       // of one segment
  MemoryLimit segments_limit;      // of all segments on a host
  std::uint64_t most_threads = 0;  // threads of a process that call the library
  std::uint64_t exit_timeout = 0;  // seconds that gasnet_exit(0) waits; 0: from the number of ranks

  // The most ranks that share memory; 0: all on a machine.
  std::uint32_t max_on_node() const {
    if (node_ranks > 0) return node_ranks;
    return put_smp && get_smp && acc_smp ? 0 : 1;
  }
};

}  // namespace gondwana
