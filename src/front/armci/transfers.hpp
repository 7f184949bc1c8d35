// Gets that do not wait, from processes that loads and stores do not reach. All else is complete,
// or its buffer free, when its call returns.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "armci/armci.h"
#include "core/types.hpp"
#include "engine/rma/far_pieces.hpp"

namespace gondwana::armci {

class Door;

class Transfers {
 public:
  explicit Transfers(Door& door) : door_(door) {}

  // Notes that an operation with this handle is over.
  static void note_done(armci_hdl_t* handle) {
    if (handle != nullptr && handle->gondwana_aggregate == 0) handle->gondwana_transfer = 0;
  }
  // Keeps a transfer that has begun, for the handle or, if it is null, for wait_for_all().
  void keep(armci_hdl_t* handle, std::unique_ptr<FarPieces> transfer);
  void wait(CallName call, armci_hdl_t* handle);
  bool is_over(CallName call, armci_hdl_t* handle);
  void wait_for_all(CallName call);

 private:
  void finish(CallName call, int number);

  Door& door_;
  int last_ = 0;
  // By number; 0: without a handle.
  std::map<int, std::vector<std::unique_ptr<FarPieces>>> begun_;
};

}  // namespace gondwana::armci
