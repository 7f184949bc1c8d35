// Memory of this process that an endpoint sends from and receives into, where the provider wants
// that registered too (FI_MR_LOCAL). What is used often is kept registered and found by its
// address; anything else is registered for one operation.
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

  // Until it is forgotten, or this ends. Pieces of memory that are kept do not overlap.
  Result<void> keep(Bytes memory);
  void forget(const std::byte* begin) { kept_.erase(begin); }

  // For an operation that does `access` (FI_SEND and its like) there. Its address is the name by
  // which release() knows it, once it is done or was refused.
  Result<void*> descriptor(Bytes memory, std::uint64_t access, const void* operation);
  void release(const void* operation) { lent_.erase(operation); }

 private:
  struct Kept {
    std::size_t size;
    Registration registration;
  };

  Registrar registrar_;
  std::map<const std::byte*, Kept> kept_;               // by where it begins
  std::unordered_map<const void*, Registration> lent_;  // by operation
};

}  // namespace gondwana::ofi
