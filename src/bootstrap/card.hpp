// What each rank tells the others through the launcher, before they can talk to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

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
  std::uint64_t password = 0;  // of who comes in
};

struct Card {
  NodeIdentity node;
  std::string host;  // for sentences
  std::optional<Invitation> invitation;
};

// One word, short enough for every launcher.
std::string write_card(const Card& card);

// `whose`: the rank, for the sentence.
Result<Card> read_card(std::string_view text, std::uint32_t whose);

// An error that names the hosts where rank `other` is out of reach of rank `self`.
Result<void> check_same_node(const Card& self, std::uint32_t self_rank, const Card& other,
                             std::uint32_t other_rank);

}  // namespace gondwana
