#include "library.hpp"

#include <dlfcn.h>

namespace gondwana::profile {

void find_library() {
  // Never closed: what is open is the library that the program itself has loaded.
  static void* const library =
      ::dlsym(RTLD_DEFAULT, "pshmem_init") != nullptr
          ? nullptr
          : ::dlopen(GONDWANA_SHMEM_LIBRARY, RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
  static_cast<void>(library);
}

}  // namespace gondwana::profile
