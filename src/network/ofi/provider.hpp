// The choice of a libfabric provider and of the address that a job uses.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/result.hpp"
#include "network/ofi/library.hpp"
#include "network/settings.hpp"

namespace gondwana::ofi {

using network::Settings;

struct FreeInfo {
  void operator()(fi_info* info) const;
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

// Chooses a provider that can carry a job and whose memory requirements we meet. A provider that
// wants local memory registered (FI_MR_LOCAL) is chosen only if no other is available.
Result<Info> choose_provider(const Library& library, const Settings& settings);

// The IPv4 address in `info`, if any.
std::optional<std::uint32_t> ipv4_of(const fi_info& info);

}  // namespace gondwana::ofi
