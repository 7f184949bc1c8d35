#include "front/armci/transfers.hpp"

#include <algorithm>
#include <limits>

#include "front/armci/door.hpp"

namespace gondwana::armci {

void Transfers::keep(armci_hdl_t* handle, std::unique_ptr<FarPieces> transfer) {
  if (handle == nullptr) {
    begun_[0].push_back(std::move(transfer));
    return;
  }
  const bool joins = handle->gondwana_aggregate != 0 && begun_.contains(handle->gondwana_transfer);
  if (!joins) {
    last_ = last_ == std::numeric_limits<int>::max() ? 1 : last_ + 1;
    handle->gondwana_transfer = last_;
  }
  begun_[handle->gondwana_transfer].push_back(std::move(transfer));
}

void Transfers::finish(CallName call, int number) {
  const KeptTurn kept;
  const auto found = begun_.find(number);
  if (found == begun_.end()) return;
  for (const auto& transfer : found->second)
    door_.check(call, transfer->finish(call) == RemoteAccess::Begun::pending);
  begun_.erase(found);
}

void Transfers::wait(CallName call, armci_hdl_t* handle) {
  if (handle == nullptr) return;
  if (handle->gondwana_transfer != 0) finish(call, handle->gondwana_transfer);
  handle->gondwana_transfer = 0;
}

bool Transfers::is_over(CallName call, armci_hdl_t* handle) {
  if (handle == nullptr || handle->gondwana_transfer == 0) return true;
  const auto found = begun_.find(handle->gondwana_transfer);
  if (found == begun_.end()) return true;
  Waiter& waiter = door_.engine().waiter();
  waiter.make_progress();
  const bool is_done =
      std::ranges::all_of(found->second, [](const auto& each) { return each->is_done(); });
  if (is_done) {
    waiter.polls().found();
    finish(call, handle->gondwana_transfer);
  } else {
    waiter.polls().failed();
  }
  return is_done;
}

void Transfers::wait_for_all(CallName call) {
  while (!begun_.empty()) finish(call, begun_.begin()->first);
}

}  // namespace gondwana::armci
