// The handlers of an endpoint. GASNet-EX 0.19, gex_EP_RegisterHandlers.
#pragma once

#include <array>
#include <span>

#include "core/result.hpp"
#include "gasnet/messages.h"

namespace gondwana::gasnet {

inline constexpr std::uint32_t max_arguments = 16;
inline constexpr std::uint32_t any_arguments = ~std::uint32_t{0};  // gex_nargs of GASNet-1 handlers

class HandlerTable {
 public:
  // Adds all entries. An entry with index 0 gets the highest free index. Stops at the first invalid
  // entry.
  Result<void> add(std::span<gex_AM_Entry_t> entries);
  // Adds a handler of the library, whose index is below those of clients.
  void add_own(const gex_AM_Entry_t& entry) { entries_.at(entry.gex_index) = entry; }
  // If the function is null, the index is free.
  const gex_AM_Entry_t& operator[](std::size_t index) const { return entries_[index]; }

 private:
  std::string flaw_of(const gex_AM_Entry_t& entry) const;

  std::array<gex_AM_Entry_t, 256> entries_{};
};

}  // namespace gondwana::gasnet
