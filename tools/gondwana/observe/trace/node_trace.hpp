// The events of a node of a traced job, read from control memory by a process on that node.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "link/clock_difference.hpp"
#include "memory/layout.hpp"
#include "memory/shown_memory.hpp"
#include "tracing/trace_place.hpp"

namespace gondwana::trace {

struct Event {
  EventKind kind = EventKind::call;
  bool is_open = false;    // the event had not ended when it was read
  std::uint16_t name = 0;  // an index into RankTrace::names; 0: none
  std::uint32_t peer = TraceEvent::nobody;
  std::int64_t begin_ns = 0;  // on CLOCK_MONOTONIC of the node
  std::int64_t duration_ns = 0;
  std::uint64_t place = 0;  // this and the following members are as in TraceEvent
  std::uint64_t bytes = 0;
  std::uint16_t site = 0;  // an index into RankTrace::sites; 0: unknown

  std::int64_t end_ns() const { return begin_ns + duration_ns; }
};

struct ThreadTrace {
  std::uint32_t thread = 0;        // its number on the host
  std::string name = {};           // empty: unknown
  std::uint64_t replaced = 0;      // number of events that were overwritten by newer ones
  std::vector<Event> events = {};  // sorted by start; nested events follow the enclosing one
};

// The program or one of its libraries.
struct Module {
  std::string file = {};
  std::uint64_t base = 0;  // its load address in the rank's memory
};

// A call site in the program.
struct Site {
  std::uint16_t number = 0;
  std::uint16_t module = 0;   // an index into RankTrace::modules
  std::uint64_t address = 0;  // return address, relative to its file
};

// The trace of a rank, or of the node's agent.
struct RankTrace {
  static constexpr std::uint32_t agent = ~std::uint32_t{0};

  std::uint32_t rank = 0;
  std::uint32_t process = 0;
  std::uint32_t untraced = 0;  // threads that had no space for events
  std::uint64_t heap = 0;      // address and size of the heap in the rank's memory
  std::uint64_t heap_size = 0;
  std::uint64_t globals = 0;
  std::uint64_t globals_size = 0;
  std::vector<SeenBuffer> buffers = {};
  std::vector<std::string> names = {};
  std::vector<Module> modules = {};  // the program is the first one
  std::vector<Site> sites = {};      // sorted by number
  std::vector<ThreadTrace> threads = {};
};

struct NodeTrace {
  std::string job = {};
  std::string host = {};
  std::uint32_t node = 0;
  std::uint32_t job_ranks = 0;  // of all nodes
  bool is_sampled = false;      // the job was not traced: these are waits sampled from outside
  std::int64_t ahead_ns = 0;    // how far this node's clock is ahead of the asker's clock
  std::int64_t error_ns = 0;    // the largest error of ahead_ns
  std::vector<RankTrace> ranks = {};  // ranks that have joined

  // Converts a time of this node's clock to the asker's clock.
  std::int64_t here(std::int64_t ns) const { return ns - ahead_ns; }
};

// Adds the trace of a node on another host, unless it is already present. Keeps the order of nodes.
void add_node(std::vector<NodeTrace>& nodes, NodeTrace node, const link::ClockDifference& clock);

// Reads the traces in the control memory of a node; nothing if the job is not traced. `meanwhile`
// receives the trace after each rank and may remove that rank.
NodeTrace read_node(std::byte* control, const NodeFacts& facts,
                    FunctionRef<void(NodeTrace& node)> meanwhile);
NodeTrace read_node(std::byte* control, const NodeFacts& facts);

// Sorts the events of a thread as ThreadTrace requires, and ends nested events with the enclosing
// one.
void put_in_order(std::vector<Event>& events);

// Removes the events that ended before the last `last_ns` of the job; 0 keeps all.
void keep_last(std::vector<NodeTrace>& nodes, std::int64_t last_ns);

}  // namespace gondwana::trace
