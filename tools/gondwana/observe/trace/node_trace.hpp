// The events of a node of a traced job, as a process of that node reads them from control memory.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "memory/layout.hpp"
#include "memory/shown_memory.hpp"
#include "tracing/trace_place.hpp"

namespace gondwana::trace {

struct Event {
  EventKind kind = EventKind::call;
  bool is_open = false;    // it had begun and not ended when it was read
  std::uint16_t name = 0;  // among RankTrace::names; 0: none
  std::uint32_t peer = TraceEvent::nobody;
  std::int64_t begin_ns = 0;  // CLOCK_MONOTONIC of the node
  std::int64_t duration_ns = 0;
  std::uint64_t place = 0;  // as in TraceEvent, and so is what follows
  std::uint64_t bytes = 0;
  std::uint16_t site = 0;  // a number of RankTrace::sites; 0: not known

  std::int64_t end_ns() const { return begin_ns + duration_ns; }
};

struct ThreadTrace {
  std::uint32_t thread = 0;    // its number on the host
  std::string name = {};       // empty: not known
  std::uint64_t replaced = 0;  // events that newer ones took the place of
  std::vector<Event> events =
      {};  // in the order of their begin; what lies within another comes after it
};

// The program or one of its libraries.
struct Module {
  std::string file = {};
  std::uint64_t base = 0;  // where it lies in the rank's memory
};

// A place where the program makes calls.
struct Site {
  std::uint16_t number = 0;
  std::uint16_t module = 0;   // among RankTrace::modules
  std::uint64_t address = 0;  // in its file; a call returns there
};

// Of a rank, or of the agent of the node.
struct RankTrace {
  static constexpr std::uint32_t agent = ~std::uint32_t{0};

  std::uint32_t rank = 0;
  std::uint32_t process = 0;
  std::uint32_t untraced = 0;  // threads that found no room for events
  std::uint64_t heap = 0;      // where it begins in the rank's memory, and its size
  std::uint64_t heap_size = 0;
  std::uint64_t globals = 0;
  std::uint64_t globals_size = 0;
  std::vector<SeenBuffer> buffers = {};
  std::vector<std::string> names = {};
  std::vector<Module> modules = {};  // the program is the first one
  std::vector<Site> sites = {};      // in the order of their numbers
  std::vector<ThreadTrace> threads = {};
};

struct NodeTrace {
  std::string job = {};
  std::string host = {};
  std::uint32_t node = 0;
  std::uint32_t job_ranks = 0;  // of all nodes
  bool is_sampled = false;      // the job was not traced: waits, seen from outside for a while
  std::int64_t ahead_ns = 0;    // how far its clock is ahead of that of the process that asked
  std::int64_t error_ns = 0;    // of that, at most
  std::vector<RankTrace> ranks = {};  // those that joined
};

// What lies in the control memory of a node; nothing where the job is not traced. After each rank
// `meanwhile` gets what there is of it: it may take the rank away.
NodeTrace read_node(std::byte* control, const NodeFacts& facts,
                    FunctionRef<void(NodeTrace& node)> meanwhile);
NodeTrace read_node(std::byte* control, const NodeFacts& facts);

// Orders the events of a thread as ThreadTrace has them, and ends those within another with it.
void put_in_order(std::vector<Event>& events);

// Leaves out what ended before the last `last_ns` of the job; 0: nothing.
void keep_last(std::vector<NodeTrace>& nodes, std::int64_t last_ns);

}  // namespace gondwana::trace
