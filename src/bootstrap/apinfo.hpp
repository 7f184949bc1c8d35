// The file that PALS, the launcher of HPE Cray systems, writes about an application: its ranks, and
// on which hosts they are. Versions 1 to 5 have the same header up to the last field read here.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

struct Apinfo {
  std::uint32_t ranks;
  std::uint32_t nodes;
  std::string first_host;  // where rank 0 is
};

// An error if `bytes` is no file of this kind, in words that may follow its name.
Result<Apinfo> read_apinfo(Bytes bytes);

}  // namespace gondwana
