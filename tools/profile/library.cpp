#include "library.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace gondwana::profile {

void find_library() {
  // Never closed: what is open is the library that the program itself has loaded.
  static void* const library =
      ::dlsym(RTLD_DEFAULT, "pshmem_init") != nullptr
          ? nullptr
          : ::dlopen(GONDWANA_SHMEM_LIBRARY, RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
  static_cast<void>(library);
}

bool load_library() {
  if (::dlsym(RTLD_DEFAULT, "pshmem_init") != nullptr) return true;
  if (::dlopen(GONDWANA_SHMEM_LIBRARY, RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
  std::fprintf(
      stderr,
      "gondwana profile: calls of GASNet-EX and ARMCI are not counted, for the counters need %s: "
      "%s; install Gondwana again\n",
      GONDWANA_SHMEM_LIBRARY, ::dlerror());
  return false;
}

}  // namespace gondwana::profile
