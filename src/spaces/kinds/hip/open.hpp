// AMD devices through ROCm's library, for the table of kinds.
#pragma once

#include <array>

#include "spaces/kinds/devices.hpp"

namespace gondwana::hip {

inline constexpr std::array libraries{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};

bool is_here(const KindContext& context);
bool has_pinned(Bytes pages);
Result<std::unique_ptr<Devices>> open(KindContext& context);

}  // namespace gondwana::hip
