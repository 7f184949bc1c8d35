// The launcher that started this process, as far as its environment tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/variables.hpp"

namespace gondwana {

// A launcher that says it started more than one process.
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
  std::string_view launcher;      // for sentences
  std::string_view remedy;        // what to do where it offers no way to find each other
  std::string_view in_order;      // how to make it fill one node after the other
  std::optional<Claim> claim;     // nothing: one process, or nobody counts
  bool has_pmix = false;          // it says that it speaks PMIx
  std::optional<Pmi1Start> pmi1;  // it left an open socket for PMI-1, and size is above 1
  // Names this very start of this very rank: a program that a rank starts finds it again in
  // GONDWANA_JOINED and knows that it is not that rank itself.
  std::string identity;
};

StartedBy find_who_started(const Environment& environment);

}  // namespace gondwana
