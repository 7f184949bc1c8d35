// The calls that name regions of the program: counted here, and passed on.
#include <dlfcn.h>

#include "library.hpp"
#include "profile.hpp"
#include "shmemx.h"

namespace {

// That of the library. Null where that is not loaded, which it may be later on.
template <typename Call>
Call* next(const char* name) {
  gondwana::profile::find_library();
  return reinterpret_cast<Call*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void shmemx_region_begin(const char* name) {
  static auto* const begin = next<decltype(shmemx_region_begin)>("shmemx_region_begin");
  if (begin != nullptr) begin(name);
  gondwana::profile::Profile::instance().begin_region(name);
}

void shmemx_region_end(void) {
  static auto* const end = next<decltype(shmemx_region_end)>("shmemx_region_end");
  gondwana::profile::Profile::instance().end_region();
  if (end != nullptr) end();
}

}  // extern "C"
