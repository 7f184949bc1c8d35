#include "armci_call.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace gondwana::profile {

void* find_armci_call(const char* name) {
  if (void* next = ::dlsym(RTLD_NEXT, name)) return next;
  std::fprintf(stderr,
               "gondwana profile: %s: no later library defines it; link the program with "
               "Gondwana's shared library of ARMCI\n",
               name);
  std::abort();
}

}  // namespace gondwana::profile
