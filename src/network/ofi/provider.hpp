// Which provider of libfabric a job goes by, and from which address.
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

// One that can carry a job, and demands of memory nothing that we do not do. That the memory of
// this process is registered (FI_MR_LOCAL) only where it cannot be had without.
Result<Info> choose_provider(const Library& library, const Settings& settings);

// Its own address, where it has one of this kind.
std::optional<std::uint32_t> ipv4_of(const fi_info& info);

}  // namespace gondwana::ofi
