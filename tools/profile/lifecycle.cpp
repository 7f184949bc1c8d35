// The calls that begin, end and control the counting. All other wrappers are generated.
#include <fmt/format.h>

#include "call.hpp"
#include "clock.hpp"
#include "counters.hpp"
#include "library.hpp"
#include "profile.hpp"
#include "pshmem.h"

using namespace gondwana::profile;

extern "C" {

void shmem_init(void) {
  find_library();
  const Stopwatch began;
  pshmem_init();
  Profile::instance().enter(number_of("shmem_init"), began);
}

int shmem_init_thread(int requested, int* provided) {
  find_library();
  const Stopwatch began;
  const int failed = pshmem_init_thread(requested, provided);
  if (failed == 0) Profile::instance().enter(number_of("shmem_init_thread"), began);
  return failed;
}

// Starts the library once, however often it is called.
void start_pes(int npes) {
  find_library();
  const Stopwatch began;
  pstart_pes(npes);
  Profile& profile = Profile::instance();
  if (profile.is_entered())
    record(number_of("start_pes"), began.began_ticks(), began.passed_ticks());
  else
    profile.enter(number_of("start_pes"), began);
}

void shmem_finalize(void) {
  Profile& profile = Profile::instance();
  constexpr std::size_t number = number_of("shmem_finalize");
  if (!profile.is_entered() || profile.leave(number)) return pshmem_finalize();
  const Call call(number);
  pshmem_finalize();
}

void shmem_global_exit(int status) {
  Profile::instance().abandon(number_of("shmem_global_exit"),
                              fmt::format("called shmem_global_exit({})", status));
  pshmem_global_exit(status);
}

// Arguments after the level are for other tools.
void shmem_pcontrol(int level, ...) {
  const Call call(number_of("shmem_pcontrol"));
  Profile::instance().set_level(level);
}

}  // extern "C"
