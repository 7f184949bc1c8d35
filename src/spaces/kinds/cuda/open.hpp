// NVIDIA devices through the driver's library, for the table of kinds.
#pragma once

#include <array>

#include "spaces/kinds/devices.hpp"

namespace gondwana::cuda {

inline constexpr std::array libraries{"libcuda.so.1"};

bool is_here(const KindContext& context);
// Whether the program has a context, which it needs for any use of a device.
bool is_used();
bool has_pinned(Bytes pages);
Result<std::unique_ptr<Devices>> open(KindContext& context);

}  // namespace gondwana::cuda
