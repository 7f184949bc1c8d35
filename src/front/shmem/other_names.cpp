// Names of other implementations. They are weak, so a program's own definitions take precedence.
#include "front/shmem/setup.hpp"
#include "shmem-compat.h"

namespace door = gondwana::shmem;

extern "C" {

[[gnu::weak]] int my_pe(void) {
  return door::my_pe(door::here("my_pe"));
}

[[gnu::weak]] int num_pes(void) {
  return door::n_pes(door::here("num_pes"));
}

[[gnu::weak]] void globalexit(int status) {
  door::global_exit(door::here("globalexit"), status);
}

}  // extern "C"
