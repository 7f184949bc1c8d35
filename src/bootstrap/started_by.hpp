// The launcher that started this process, according to its environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/variables.hpp"

namespace gondwana {

// A launcher that reports more than one process.
struct Claim {
  std::string_view variable;
  std::uint64_t size;
};

struct Pmi1Start {
  int socket;
  std::uint32_t rank;
  std::uint32_t size;
};

struct StartedBy {
  std::string_view launcher;      // for messages
  std::string_view remedy;        // what to do if it offers no way to find the other ranks
  std::string_view in_order;      // how to make it fill the nodes in order
  std::optional<Claim> claim;     // nothing: one process, or the number is unknown
  bool has_pmix = false;          // it offers PMIx
  std::optional<Pmi1Start> pmi1;  // it left an open PMI-1 socket, and size is above 1
  // Identifies this start of this rank. A program that a rank starts finds it in GONDWANA_JOINED
  // and knows that it is not the rank.
  std::string identity;
};

StartedBy find_launcher(const Environment& environment);

}  // namespace gondwana
