// The data that each rank sends to the others through the launcher, before they have connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "memory/node_contact.hpp"

namespace gondwana {

// Processes with equal values can pass each other descriptors and may share memory. Host names do
// not decide: containers of one machine have different ones, and clusters repeat them.
struct NodeIdentity {
  std::string boot;     // random, new at each boot of the kernel
  std::string network;  // inodes of its namespaces
  std::string user;

  bool operator==(const NodeIdentity&) const = default;
};

NodeIdentity own_node();
std::string own_host();

// How the ranks reach the one that makes the memory, and their credentials.
struct Invitation {
  std::string address;         // of an abstract socket, in hexadecimal digits
  std::uint64_t tag = 0;       // in every message, in both directions
  std::uint64_t password = 0;  // of a joining rank
};

struct ProcessInfo {
  NodeIdentity node;
  std::string host;  // for messages
  // The value of GONDWANA_NODE_RANKS. Rank 0's counts: launchers need not pass variables on.
  std::uint32_t node_ranks = 0;
  std::optional<Invitation> invitation;  // from rank 0; its tag becomes the job's
};

// The text followed by its checksum. Every text that ranks send through a launcher ends so.
std::string seal(std::string text);

// One word, within the limits of all launchers.
std::string write_info(const ProcessInfo& info);

// `whose`: the rank, for the message.
Result<ProcessInfo> read_info(std::string_view text, std::uint32_t rank);

// The data that the first rank of each node publishes in the second round, if there are several
// nodes.
struct NodeOffer {
  Invitation invitation;  // for the ranks of its node
  NodeContact contact;    // for the others
};

// One word, of any length.
std::string write_offer(const NodeOffer& offer);
Result<NodeOffer> read_offer(std::string_view text, std::uint32_t rank);

}  // namespace gondwana
