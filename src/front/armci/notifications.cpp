// Words by which a process announces that its puts have arrived.
#include <atomic>

#include "front/armci/door.hpp"

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

int armci_notify(int proc) {
  constexpr auto call = "armci_notify";
  const Entry here(call);
  const gondwana::Rank to = here->checked_rank(call, proc);
  here->complete(call);
  here->words().request(call, to, here->words().notifications_of(to, here->rank()),
                        {gondwana::AtomicOp::add, gondwana::AtomicType::uint64, 1});
  return 0;
}

int armci_notify_wait(int proc, int* pval) {
  constexpr auto call = "armci_notify_wait";
  const Entry here(call);
  const gondwana::Rank from = here->checked_rank(call, proc);
  const std::atomic_ref count(
      here->words().own(here->words().notifications_of(here->rank(), from)));
  const std::uint64_t wanted = here->words().next_notification(from);
  here->engine().waiter().on_memory(
      call, [&] { return count.load(std::memory_order_acquire) >= wanted; }, gondwana::index(from));
  if (pval != nullptr) *pval = static_cast<int>(wanted);
  return 0;
}
