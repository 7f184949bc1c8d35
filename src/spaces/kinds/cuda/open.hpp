// Devices of NVIDIA by the driver's library, for the table of kinds.
#pragma once

#include <array>

#include "spaces/kinds/devices.hpp"

namespace gondwana::cuda {

inline constexpr std::array libraries{"libcuda.so.1"};

bool is_here(const KindContext& context);
// Whether the program has a context, as it needs for all that it does with a device.
bool is_used();
Result<std::unique_ptr<Devices>> open(KindContext& context);

}  // namespace gondwana::cuda
