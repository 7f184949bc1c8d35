// Memory that is registered with the provider for tests.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>

namespace strict {

// The call of a domain.
// NOLINTNEXTLINE(readability-function-size): as libfabric calls it
int register_region(fid* domain, const void* memory, std::size_t size, std::uint64_t access,
                    std::uint64_t offset, std::uint64_t key, std::uint64_t flags, fid_mr** made,
                    void* context);
// Where an address of a peer lies in its region, as the provider below counts.
std::uint64_t offset_of(std::uint64_t address, std::uint64_t key);

// Local memory of an operation, and by what descriptor it is used.
struct Local {
  const char* what;
  fid_ep* endpoint;
  const void* memory;
  std::size_t size;
  void* descriptor;
  std::uint64_t access;
};

// Until it is done its registration must live. Completions come to the thread that posts.
void begin(const Local& local, const void* context);
void end(const void* context);
void end_all(const fid_ep* endpoint);
void check_closed(const fid_domain* domain);

}  // namespace strict
