// Nonblocking gets from processes that loads and stores do not reach. When any other call returns,
// its operation is complete or its buffer may be reused.
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

  // Records that the operation of this handle is complete.
  static void note_done(armci_hdl_t* handle) {
    if (handle != nullptr && handle->gondwana_aggregate == 0) handle->gondwana_transfer = 0;
  }
  // Keeps a started transfer for its handle, or for wait_for_all() if `handle` is null.
  void keep(armci_hdl_t* handle, std::unique_ptr<FarPieces> transfer);
  void wait(CallName call, armci_hdl_t* handle);
  bool is_over(CallName call, armci_hdl_t* handle);
  void wait_for_all(CallName call);

 private:
  void finish(CallName call, int number);

  Door& door_;
  int last_ = 0;
  // By number. 0: no handle.
  std::map<int, std::vector<std::unique_ptr<FarPieces>>> begun_;
};

}  // namespace gondwana::armci
