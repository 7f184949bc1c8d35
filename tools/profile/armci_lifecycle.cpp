// Starts and ends the counting in ARMCI programs. The counters lie in the symmetric heap of
// OpenSHMEM, which is opened as well.
#include "armci/message.h"
#include "armci_call.hpp"
#include "library.hpp"
#include "profile.hpp"
#include "pshmem.h"

namespace gondwana::profile {
namespace {

// ARMCI may be started several times. It ends with the last of the matching calls.
template <typename Start>
int begin(std::size_t number, const Start& start) {
  const Stopwatch began;
  Profile& profile = Profile::instance();
  const bool has_tables = profile.has_tables() && load_library();
  if (has_tables) pshmem_init();
  const int failed = start();
  if (has_tables || !profile.has_tables()) profile.enter(number, began);
  return failed;
}

template <typename End>
int end(std::size_t number, const End& end_library) {
  Profile& profile = Profile::instance();
  if (!profile.is_entered()) return end_library();
  if (!profile.leave(number)) {
    const Call call(number);
    if (profile.has_tables()) pshmem_finalize();
    return end_library();
  }
  const int failed = end_library();
  if (profile.has_tables()) pshmem_finalize();
  return failed;
}

}  // namespace
}  // namespace gondwana::profile

using namespace gondwana::profile;

extern "C" {

int ARMCI_Init(void) {
  static const auto next = armci_call<decltype(ARMCI_Init)>("PARMCI_Init");
  return begin(number_of("ARMCI_Init"), [] { return next(); });
}

int ARMCI_Init_args(int* argc, char*** argv) {
  static const auto next = armci_call<decltype(ARMCI_Init_args)>("PARMCI_Init_args");
  return begin(number_of("ARMCI_Init_args"), [&] { return next(argc, argv); });
}

int ARMCI_Init_thread(int armci_requested) {
  static const auto next = armci_call<decltype(ARMCI_Init_thread)>("PARMCI_Init_thread");
  return begin(number_of("ARMCI_Init_thread"), [&] { return next(armci_requested); });
}

int ARMCI_Finalize(void) {
  static const auto next = armci_call<decltype(ARMCI_Finalize)>("PARMCI_Finalize");
  return end(number_of("ARMCI_Finalize"), [] { return next(); });
}

void armci_msg_init(int* argc, char*** argv) {
  static const auto next = armci_call<decltype(armci_msg_init)>("armci_msg_init");
  begin(number_of("armci_msg_init"), [&] {
    next(argc, argv);
    return 0;
  });
}

void armci_msg_finalize(void) {
  static const auto next = armci_call<decltype(armci_msg_finalize)>("armci_msg_finalize");
  end(number_of("armci_msg_finalize"), [] {
    next();
    return 0;
  });
}

}  // extern "C"
