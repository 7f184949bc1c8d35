// Memory registered with the provider for tests.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>

namespace strict {

// The registration call of a domain.
// NOLINTNEXTLINE(readability-function-size): as libfabric calls it
int register_region(fid* domain, const void* memory, std::size_t size, std::uint64_t access,
                    std::uint64_t offset, std::uint64_t key, std::uint64_t flags, fid_mr** made,
                    void* context);
// The offset of a peer address in its region, for the wrapped provider.
std::uint64_t offset_of(std::uint64_t address, std::uint64_t key);

// Local memory of an operation, and its descriptor.
struct Local {
  const char* what;
  fid_ep* endpoint;
  const void* memory;
  std::size_t size;
  void* descriptor;
  std::uint64_t access;
};

// The registration must live until the operation is done. Completions reach the posting thread.
void begin(const Local& local, const void* context);
void end(const void* context);
void end_all(const fid_ep* endpoint);
void check_closed(const fid_domain* domain);

}  // namespace strict
