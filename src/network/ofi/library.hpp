// libfabric, loaded when a job has more than one node and only then: a machine without it lacks
// nothing on one node.
#pragma once

#include <rdma/fabric.h>

#include "core/result.hpp"

namespace gondwana::ofi {

// The calls that are not inline in its headers. Other libraries of the program may bring another
// libfabric; this one is ours alone.
struct Library {
  decltype(&fi_getinfo) getinfo = nullptr;
  decltype(&fi_freeinfo) freeinfo = nullptr;
  decltype(&fi_dupinfo) dupinfo = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) strerror = nullptr;
  decltype(&fi_version) version = nullptr;
};

// The same for the life of the process.
Result<const Library*> load_library();

// What the interface is asked for: the version that the code was written for.
inline constexpr std::uint32_t api_version = FI_VERSION(1, 17);

// Read by its provider ofi_rxm, up to 1.19: messages up to so many bytes go in one piece. Set by
// loading, where nobody has.
inline constexpr const char* rxm_eager_limit = "FI_OFI_RXM_EAGER_LIMIT";

}  // namespace gondwana::ofi
