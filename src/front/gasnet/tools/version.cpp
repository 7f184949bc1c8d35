// The version of the interface, and the options that slow this build down.
#include <cstdint>

#include "gasnet_tools.h"

const char* gasnett_release_version_str() {
  return _STRINGIFY(GASNETT_RELEASE_VERSION_MAJOR) "." _STRINGIFY(
      GASNETT_RELEASE_VERSION_MINOR) "." _STRINGIFY(GASNETT_RELEASE_VERSION_PATCH);
}

std::uint64_t gasnett_release_version() {
  return GASNETT_RELEASE_VERSION_MAJOR * std::uint64_t{1'000'000} +
         GASNETT_RELEASE_VERSION_MINOR * std::uint64_t{10'000} + GASNETT_RELEASE_VERSION_PATCH;
}

const char* gondwana_gasnett_performance_warning(int client_checks) {
#ifdef __OPTIMIZE__
  constexpr bool is_slow_build = false;
#else
  constexpr bool is_slow_build = true;
#endif
  if (client_checks != 0 && is_slow_build)
    return "   checks of arguments (GASNET_DEBUG)\n   a library that was built without -O\n";
  if (client_checks != 0) return "   checks of arguments (GASNET_DEBUG)\n";
  return is_slow_build ? "   a library that was built without -O\n" : "";
}
