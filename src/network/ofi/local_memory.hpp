// Memory of this process that an endpoint sends from and receives into, for providers that want it
// registered (FI_MR_LOCAL). Memory in frequent use stays registered and is found by its address.
// Other memory is registered for one operation.
#pragma once

#include <map>
#include <unordered_map>

#include "core/result.hpp"
#include "core/types.hpp"
#include "network/ofi/registration.hpp"

namespace gondwana::ofi {

class LocalMemory {
 public:
  explicit LocalMemory(const Registrar& registrar) : registrar_(registrar) {}

  // Registers memory until forget() or the destructor. Kept ranges must not overlap.
  Result<void> keep(Bytes memory);
  void forget(const std::byte* begin) { kept_.erase(begin); }

  // The descriptor of `memory` for an operation of kind `access` (FI_SEND, FI_READ, ...). The
  // caller passes the operation's address to release() when it has completed or was refused.
  Result<void*> descriptor(Bytes memory, std::uint64_t access, const void* operation);
  void release(const void* operation) { lent_.erase(operation); }

 private:
  struct Kept {
    std::size_t size;
    Registration registration;
  };

  Registrar registrar_;
  std::map<const std::byte*, Kept> kept_;               // by its first byte
  std::unordered_map<const void*, Registration> lent_;  // by operation
};

}  // namespace gondwana::ofi
