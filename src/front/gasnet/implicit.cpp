#include "front/gasnet/implicit.hpp"

#include "front/gasnet/door.hpp"
#include "gasnet/events.h"
#include "gasnet/system.h"

namespace gondwana::gasnet {
namespace {

// Includes the puts whose sources the library still reads.
constexpr gex_EC_t of_puts = GEX_EC_PUT | GEX_EC_LC;

[[gnu::tls_model("initial-exec")]] constinit thread_local Implicit* own = nullptr;

// Runs when the thread ends. The memory of operations in flight is never freed.
struct End {
  ~End() {
    if (own->is_done(GEX_EC_ALL) && (own->region == nullptr || own->region->is_done())) delete own;
    own = nullptr;
  }
};

}  // namespace

bool Implicit::is_done(gex_EC_t categories) const {
  return ((categories & of_puts) == 0 || puts.is_done()) &&
         ((categories & GEX_EC_GET) == 0 || gets.is_done());
}

void Implicit::wait(gex_EC_t categories, CallName call) {
  if (is_done(categories)) return;
  RemoteMemory& remote = door().remote();
  if ((categories & of_puts) != 0) remote.wait(puts, call);
  if ((categories & GEX_EC_GET) != 0) remote.wait(gets, call);
}

Implicit& implicit() {
  if (own == nullptr) {
    own = new Implicit;
    static thread_local const End end;
  }
  return *own;
}

namespace {

// The client may repeat a test until it succeeds, without a poll.
[[gnu::noinline, gnu::cold]] int test_after_progress(gex_EC_t categories) {
  Progress& progress = door().progress();
  progress.move_operations();
  const bool done = implicit().is_done(categories);
  progress.note_poll(done);
  return done ? GASNET_OK : GASNET_ERR_NOT_READY;
}

}  // namespace

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_NBI_Test(gex_EC_t event_mask, gex_Flags_t /*flags*/) {
  if (!implicit().is_done(event_mask)) return test_after_progress(event_mask);
  door().progress().note_poll(true);
  return GASNET_OK;
}

void gex_NBI_Wait(gex_EC_t event_mask, gex_Flags_t /*flags*/) {
  implicit().wait(event_mask, "gex_NBI_Wait");
}

void gex_NBI_BeginAccessRegion(gex_Flags_t /*flags*/) {
  Implicit& mine = implicit();
  if (mine.region != nullptr)
    give_up("gex_NBI_BeginAccessRegion", "the thread is already in an access region");
  mine.region = std::make_shared<Batch>();
}

gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t /*flags*/) {
  std::shared_ptr<Batch> region = std::move(implicit().region);
  if (region == nullptr)
    give_up("gex_NBI_EndAccessRegion", "the thread is not in an access region");
  return event_of(std::move(region));
}
