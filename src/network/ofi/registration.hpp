// Memory registered with a provider, in the way that the provider requires.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "core/types.hpp"
#include "network/ofi/library.hpp"

namespace gondwana::ofi {

// Closes an object of libfabric.
template <typename Object>
struct Close {
  void operator()(Object* object) const { fi_close(&object->fid); }
};
template <typename Object>
using Owned = std::unique_ptr<Object, Close<Object>>;

// Peers that know the key may access the memory until this object is destroyed.
struct Registration {
  Owned<fid_mr> handle;
  std::uint64_t key = 0;
};

class Registrar {
 public:
  // The endpoint must be enabled. All arguments must outlive this object.
  Registrar(const Library& library, const fi_info& info, fid_domain& domain, fid_ep& endpoint)
      : library_(library), info_(info), domain_(domain), endpoint_(endpoint) {}

  // Uses a key that cannot be guessed if the provider accepts keys from us. `access`:
  // FI_REMOTE_READ, FI_SEND and so on.
  Result<Registration> make(Bytes memory, std::uint64_t access) const;
  bool wants(int mode) const { return (info_.domain_attr->mr_mode & mode) != 0; }

 private:
  Result<std::uint64_t> new_key() const;
  Error error_of(Bytes memory, int failed) const;

  const Library& library_;
  const fi_info& info_;
  fid_domain& domain_;
  fid_ep& endpoint_;
};

}  // namespace gondwana::ofi
