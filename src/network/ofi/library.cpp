#include "network/ofi/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/static_program.hpp"
#include "network/message_limit.hpp"

namespace gondwana::ofi {
namespace {

// 1.x and 2.x have one soname. Tries the loader's search path, then the folder of the build.
void* open_library() {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL;
  if (void* found = ::dlopen("libfabric.so.1", flags); found != nullptr) return found;
  return ::dlopen(GONDWANA_LIBFABRIC_FOLDER "/libfabric.so.1", flags);
}

// Called before libfabric is loaded. Keeps values that the user has set.
void set_variables() {
  // Disables its monitor of freed memory, which replaces malloc's hooks in the whole program. We do
  // not use the cache.
  ::setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
  // Sends messages in one piece, without copies. The copies that rxm makes of smaller messages and
  // its round trip for larger ones both take longer. Versions of rxm without this feature ignore
  // the limit.
  ::setenv(rxm_eager_limit, std::to_string(message_limit).c_str(), 0);
  // Above tcp, rxm keeps one set of receive buffers for all peers. Its default of 4096 buffers of
  // 16 KiB costs each process the time to zero them. Above verbs the number is per peer.
  if (::access("/sys/class/infiniband", F_OK) != 0) ::setenv("FI_OFI_RXM_MSG_RX_SIZE", "1024", 0);
  // Signal handlers of PSM are installed as libfabric loads it, and exit.
  ::setenv("IPATH_NO_BACKTRACE", "1", 0);
}

Result<Library> find_functions(void* handle) {
  Library library;
  std::string absent;
  // Finds the symbol version that the headers declare. Later libraries also contain newer ones.
  const auto find = [&](auto& function, const char* name, const char* version) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        ::dlvsym(handle, name, version));
    if (function == nullptr) absent = fmt::format("{}@{}", name, version);
  };
  find(library.getinfo, "fi_getinfo", "FABRIC_1.3");
  find(library.freeinfo, "fi_freeinfo", "FABRIC_1.3");
  find(library.dupinfo, "fi_dupinfo", "FABRIC_1.3");
  find(library.fabric, "fi_fabric", "FABRIC_1.1");
  find(library.strerror, "fi_strerror", "FABRIC_1.0");
  find(library.version, "fi_version", "FABRIC_1.0");
  if (!absent.empty())
    return Error{Errc::missing,
                 fmt::format("this libfabric has no {}; 1.17 or newer is needed", absent)};
  if (const std::uint32_t found = library.version(); FI_VERSION_LT(found, api_version)) {
    return Error{Errc::missing, fmt::format("this libfabric is {}.{}; 1.17 or newer is needed",
                                            FI_MAJOR(found), FI_MINOR(found))};
  }
  return library;
}

Result<Library> find_library() {
  if (is_static_program())
    return Error{Errc::missing,
                 "a statically linked executable cannot load libfabric, which a job on several "
                 "nodes needs; link it without -static"};
  set_variables();
  void* handle = open_library();
  if (handle != nullptr) return find_functions(handle);
  const char* reason = ::dlerror();
  return Error{Errc::missing,
               fmt::format("libfabric cannot be loaded ({}); install it (libfabric1 on Debian) or "
                           "put it on LD_LIBRARY_PATH: a job on several nodes needs it",
                           reason == nullptr ? "no reason given" : reason)};
}

}  // namespace

Error error_of(const Library& library, const char* what, ssize_t outcome) {
  return {Errc::peer_lost,
          fmt::format("libfabric: {}: {}{}", what, library.strerror(static_cast<int>(-outcome)),
                      outcome == -FI_EMFILE ? "; raise ulimit -n" : "")};
}

Result<const Library*> load_library() {
  // Never destroyed: endpoints may be closed by destructors of static objects.
  static const Result<Library>& library = *new Result<Library>(find_library());
  if (!library) return library.error();
  return &*library;
}

}  // namespace gondwana::ofi
