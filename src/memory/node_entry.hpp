// What the ranks of a node know of another node: one entry for each, in the control memory, written
// by the node agent and read by all. The info of a node is the same for ranks that are not there
// yet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "memory/node_ranks.hpp"

namespace gondwana {

// How to reach a node. Its address and its key, of any length, are in a NodeContact.
struct NodeInfo {
  static constexpr std::size_t longest_address = 1024;
  static constexpr std::size_t longest_key = 1024;
  static constexpr std::size_t longest_host = 64;
  static constexpr std::size_t longest_network = 64;

  std::uint64_t layout;  // of the control memory in its build: all must be the same
  NodeRanks ranks;
  std::uint64_t memory;   // bytes of the node's memory for each of its ranks
  std::uint64_t stride;   // distance of two arenas
  std::uint32_t carries;  // whether its agent carries the messages of its ranks
  std::uint32_t address_size;
  std::uint64_t key_size;
  std::array<char, longest_host> host;        // its name, zero-terminated; for error messages
  std::array<char, longest_network> network;  // the same on all nodes; zero-terminated
};

// The last two are lost: it answers no more, or the network says that it is gone.
enum class NodeState : std::uint32_t { unknown, known, silent, cut_off };

struct alignas(cache_line) NodeEntry {
  std::atomic<NodeState> state;        // released after `info` is written
  std::atomic<std::uint32_t> is_used;  // some rank of this node has talked to it: watch it
  std::uint64_t contact;               // where its address and its key begin, see NodeTable
  NodeInfo info;
};

static_assert(std::atomic<NodeState>::is_always_lock_free);

// How to reach a rank itself, in its arena.
struct EndpointInfo {
  std::atomic<std::uint64_t> size;  // of the address; released after it, until then 0
  std::array<std::byte, NodeInfo::longest_address> address;
};

// What must be the same on all ranks of a job: offsets mean the same only where programs and heaps
// are the same. Each has it in its arena, where peers of every node can read it.
struct RankFacts {
  std::uint64_t program_id;    // hash of the program's build id
  std::uint64_t globals_size;  // length of its symmetric globals
  std::uint64_t heap_size;
  std::uint64_t heap_offset;  // in the arena
  std::uint64_t checks;       // whether it checks its calls
  std::uint64_t redzones;     // whether blocks of the heap keep a distance
  std::uint64_t algorithms;   // of its collectives
};

}  // namespace gondwana
