// Wrappers of the calls that name regions: they count the region and call the library.
#include <dlfcn.h>

#include "library.hpp"
#include "profile.hpp"
#include "shmemx.h"

namespace {

// The library's call. Null if the library is not loaded yet.
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
