// What each rank tells the others through the launcher, before they can talk to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "memory/node_contact.hpp"

namespace gondwana {

// Processes in which this is the same can hand each other descriptors and may share memory: the
// host's name decides nothing, for containers of one machine have many and clusters repeat them.
struct NodeIdentity {
  std::string boot;     // random, of each start of the kernel
  std::string network;  // of its namespaces: an inode
  std::string user;

  bool operator==(const NodeIdentity&) const = default;
};

NodeIdentity own_node();
std::string own_host();

// How the ranks reach the one that makes the memory, and what they show it.
struct Invitation {
  std::string address;         // of an abstract socket, in hexadecimal digits
  std::uint64_t tag = 0;       // in every message, both ways
  std::uint64_t password = 0;  // of a rank that comes in
};

struct ProcessInfo {
  NodeIdentity node;
  std::string host;  // for sentences
  // Of its GONDWANA_NODE_RANKS: that of rank 0 counts, for launchers need not hand variables on.
  std::uint32_t node_ranks = 0;
  std::optional<Invitation> invitation;  // of rank 0, whose tag becomes that of the job
};

// The text and a checksum of it, as its last word: what ranks say through a launcher ends so.
std::string seal(std::string text);

// One word, short enough for every launcher.
std::string write_info(const ProcessInfo& info);

// `whose`: the rank, for the sentence.
Result<ProcessInfo> read_info(std::string_view text, std::uint32_t whose);

// What the first rank of each node tells all in the second round, where there are several.
struct NodeOffer {
  Invitation invitation;  // for the ranks of its node
  NodeContact contact;    // for the others
};

// One word, of any length.
std::string write_offer(const NodeOffer& offer);
Result<NodeOffer> read_offer(std::string_view text, std::uint32_t whose);

}  // namespace gondwana
