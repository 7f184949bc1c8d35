// Where the ranks of a start meet if nothing passes a unique id on: rank 0 listens at a port of its
// host, which all know from their environment. A secret that they share takes the place of the id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana {

struct StartPlace {
  std::string host;
  std::uint16_t port = 0;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::string secret;       // of the launcher, or
  std::string secret_file;  // the file that contains it; both empty: there is none

  // Of this start of this rank; see StartedBy.
  std::string identity() const;
};

// Nothing without GONDWANA_MEET, unless PALS says all that is needed. Rank, size and host come from
// GONDWANA_MEET_RANK, _SIZE and GONDWANA_MEET, or from the variables of a launcher.
Result<std::optional<StartPlace>> find_start_place(const Environment& environment);

}  // namespace gondwana
