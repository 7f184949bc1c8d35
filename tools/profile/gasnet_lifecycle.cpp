// Starts and ends the counting in GASNet-EX programs. The counters lie in the symmetric heap of
// OpenSHMEM, which is opened as well.
#include <cstdlib>

#include "gasnet_call.hpp"
#include "library.hpp"
#include "profile.hpp"
#include "pshmem.h"

namespace gondwana::profile {
namespace {

// Collective, like the call that follows. Takes the client's thread level.
void prepare(const gondwana_gex_build& build) {
  Profile& profile = Profile::instance();
  if (profile.has_gasnet() || (profile.has_tables() && !load_library())) return;
  static const auto call_always =
      gasnet_call<decltype(gondwana_gex_call_always)>("gondwana_gex_call_always");
  call_always();
  int provided = SHMEM_THREAD_SINGLE;
  if (profile.has_tables())
    pshmem_init_thread(build.threads == 0 ? SHMEM_THREAD_SINGLE : SHMEM_THREAD_MULTIPLE, &provided);
  profile.enter_gasnet();
}

// Joins the job with `start`, which returns GASNET_OK or an error code.
template <typename Start>
int join(std::size_t number, const gondwana_gex_build* build, const Start& start) {
  const Stopwatch began;
  const bool is_first = !Profile::instance().has_gasnet();
  prepare(*build);
  const int failed = start();
  if (is_first && Profile::instance().has_gasnet()) Profile::instance().enter(number, began);
  return failed;
}

}  // namespace
}  // namespace gondwana::profile

using namespace gondwana::profile;

extern "C" {

// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
int gondwana_gex_client_init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                             const char* name, int* argc, char*** argv, gex_Flags_t flags,
                             const gondwana_gex_build* build) {
  static const auto next =
      gasnet_call<decltype(gondwana_gex_client_init)>("gondwana_gex_client_init");
  return join(number_of("gex_Client_Init"), build,
              [&] { return next(client_p, ep_p, tm_p, name, argc, argv, flags, build); });
}

int gondwana_gasnet_init(int* argc, char*** argv, const gondwana_gex_build* build) {
  static const auto next = gasnet_call<decltype(gondwana_gasnet_init)>("gondwana_gasnet_init");
  return join(number_of("gasnet_init"), build, [&] { return next(argc, argv, build); });
}

void gasnet_exit(int status) {
  static const auto next = gasnet_call<decltype(gasnet_exit)>("gasnet_exit");
  Profile::instance().exit_gasnet(status);
  next(status);
  std::abort();  // gasnet_exit does not return
}

}  // extern "C"
