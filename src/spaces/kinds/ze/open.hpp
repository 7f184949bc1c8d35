// Intel devices through the Level Zero loader, for the table of kinds.
#pragma once

#include <array>

#include "spaces/kinds/devices.hpp"

namespace gondwana::ze {

inline constexpr std::array libraries{"libze_loader.so.1"};

bool is_here(const KindContext& context);
Result<std::unique_ptr<Devices>> open(KindContext& context);

}  // namespace gondwana::ze
