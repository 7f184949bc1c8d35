#include "network/ucx/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "core/signals.hpp"
#include "core/static_program.hpp"

namespace gondwana::ucx {
namespace {

// Read at load time. They disable signal handlers, hooks in malloc and mmap, the thread of its file
// system, and output on the program's standard output.
constexpr std::array<std::pair<const char*, const char*>, 8> quiet_settings{{
    {"UCX_ERROR_SIGNALS", ""},
    {"UCX_HANDLE_ERRORS", "none"},
    {"UCX_DEBUG_SIGNO", "0"},
    {"UCX_MEM_EVENTS", "n"},
    {"UCX_MEM_MALLOC_HOOKS", "n"},
    {"UCX_MEM_MMAP_HOOK_MODE", "none"},
    {"UCX_VFS_ENABLE", "n"},
    {"UCX_LOG_LEVEL", "fatal"},
}};

// Tries the loader's search path, then the folder of the build.
void* open_library() {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL;
  if (void* found = ::dlopen("libucp.so.0", flags); found != nullptr) return found;
  return ::dlopen(GONDWANA_UCX_FOLDER "/libucp.so.0", flags);
}

Result<Library> find_library() {
  if (is_static_program())
    return Error{Errc::missing,
                 "a statically linked executable cannot load UCX; link it without -static"};
  for (const auto& [name, value] : quiet_settings) ::setenv(name, value, 0);
  const SignalActionsKept from_it;
  void* handle = open_library();
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Error{Errc::missing,
                 fmt::format("UCX cannot be loaded ({}); install it (libucx0 on Debian), put it on "
                             "LD_LIBRARY_PATH, or use libfabric",
                             reason == nullptr ? "no reason given" : reason)};
  }
  const Library library(handle);
  if (library.absent() == nullptr) return library;
  return Error{Errc::missing,
               fmt::format("this UCX has no {}; 1.13 or newer is needed", library.absent())};
}

}  // namespace

Library::Found Library::find(const char* name) {
  void* found = ::dlsym(handle_, name);
  if (found == nullptr) absent_ = name;
  return {found};
}

Result<const Library*> load_library() {
  // Never destroyed: endpoints may be closed by destructors of static objects.
  static const Result<Library>& library = *new Result<Library>(find_library());
  if (!library) return library.error();
  return &*library;
}

}  // namespace gondwana::ucx
