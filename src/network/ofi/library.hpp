// libfabric, loaded only if a job has several nodes. Jobs on one node work without it.
#pragma once

#include <rdma/fabric.h>

#include "core/result.hpp"

namespace gondwana::ofi {

// The functions that are not inline in its headers. Other libraries of the program may load another
// libfabric, but this one is private to us.
struct Library {
  decltype(&fi_getinfo) getinfo = nullptr;
  decltype(&fi_freeinfo) freeinfo = nullptr;
  decltype(&fi_dupinfo) dupinfo = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) strerror = nullptr;
  decltype(&fi_version) version = nullptr;
};

// `outcome`: what a call has returned instead of 0.
Error error_of(const Library& library, const char* what, ssize_t outcome);

// Returns the same library for the life of the process.
Result<const Library*> load_library();

// The version of the interface for which the code is written.
inline constexpr std::uint32_t api_version = FI_VERSION(1, 17);

// Read by the provider ofi_rxm up to 1.19: messages up to this size in bytes are sent in one piece.
// Loading sets it unless the user has set it.
inline constexpr const char* rxm_eager_limit = "FI_OFI_RXM_EAGER_LIMIT";

}  // namespace gondwana::ofi
