// Emulated devices, for the table of kinds.
#pragma once

#include "spaces/kinds/devices.hpp"

namespace gondwana::emulated {

bool is_here(const KindContext& context);
Result<std::unique_ptr<Devices>> open(KindContext& context);

}  // namespace gondwana::emulated
