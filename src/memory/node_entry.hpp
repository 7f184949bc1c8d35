// The information that the ranks of a node have about another node: one entry for each node, in the
// control memory. The node agent writes it and all ranks read it. The entry also applies to ranks
// that have not joined yet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "memory/node_ranks.hpp"

namespace gondwana {

// How to reach a node. A NodeContact has its address and its key, of any length.
struct NodeInfo {
  static constexpr std::size_t longest_address = 1024;
  static constexpr std::size_t longest_key = 1024;
  static constexpr std::size_t longest_host = 64;
  static constexpr std::size_t longest_network = 64;

  std::uint64_t layout;  // of the control memory in its build: must match ours
  NodeRanks ranks;
  std::uint64_t memory;   // bytes of the node's memory for each of its ranks
  std::uint64_t stride;   // distance of two arenas
  std::uint32_t carries;  // whether its agent carries its ranks' messages
  std::uint32_t address_size;
  std::uint64_t key_size;
  std::array<char, longest_host> host;        // zero-terminated; for error messages
  std::array<char, longest_network> network;  // the same on all nodes; zero-terminated
};

// The last two mean lost: the node does not answer, or the network reports that it is gone.
enum class NodeState : std::uint32_t { unknown, known, silent, cut_off };

struct alignas(cache_line) NodeEntry {
  std::atomic<NodeState> state;        // released after `info` is written
  std::atomic<std::uint32_t> is_used;  // a rank of this node has used it: watch it
  std::uint64_t contact;               // where its address and its key begin, see NodeTable
  NodeInfo info;
};

static_assert(std::atomic<NodeState>::is_always_lock_free);

// How to reach one rank, in its arena.
struct EndpointInfo {
  std::atomic<std::uint64_t> size;  // of the address; released after the address, 0 until then
  std::array<std::byte, NodeInfo::longest_address> address;
};

// Must be the same on all ranks of a job: offsets mean the same only if programs and heaps are the
// same. Each rank has it in its arena, where peers of every node can read it.
struct RankFacts {
  std::uint64_t program_id;    // hash of the program's build id
  std::uint64_t globals_size;  // length of its symmetric globals
  std::uint64_t heap_size;
  std::uint64_t heap_offset;  // in the arena
  std::uint64_t checks;       // whether it checks calls
  std::uint64_t redzones;     // whether blocks of the heap have redzones
  std::uint64_t algorithms;   // of its collectives
};

}  // namespace gondwana
