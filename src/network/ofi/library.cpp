#include "network/ofi/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/static_program.hpp"
#include "network/message_limit.hpp"

namespace gondwana::ofi {
namespace {

// One soname from 1.x to 2.x. First where the loader looks, then where it was when this was built.
void* open_library() {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL;
  if (void* found = ::dlopen("libfabric.so.1", flags); found != nullptr) return found;
  return ::dlopen(GONDWANA_LIBFABRIC_FOLDER "/libfabric.so.1", flags);
}

Result<Library> find_library() {
  if (is_static_program())
    return Error{Errc::missing,
                 "an executable that is linked statically cannot load libfabric, which a job on "
                 "several nodes needs; link it without -static"};
  // Its watch over freed memory replaces malloc's hooks in the whole program; we never cache.
  ::setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
  // Our messages in one piece, from and to where they lie; the copies that rxm makes of smaller
  // ones and its round trip for larger ones both take longer. Where rxm cannot do that it asks for
  // none.
  ::setenv(rxm_eager_limit, std::to_string(message_limit).c_str(), 0);
  // Receive buffers that rxm holds ready for all of its peers above tcp together: fewer than its
  // 4096 of 16 KiB, which each process would fill with zeros first. Above verbs it is so many for
  // each peer.
  if (::access("/sys/class/infiniband", F_OK) != 0) ::setenv("FI_OFI_RXM_MSG_RX_SIZE", "1024", 0);
  // Signal handlers of PSM below it, which exit; they would come as it is loaded.
  ::setenv("IPATH_NO_BACKTRACE", "1", 0);
  void* handle = open_library();
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Error{
        Errc::missing,
        fmt::format("libfabric cannot be loaded ({}); install it (libfabric1 on Debian) or "
                    "put it on LD_LIBRARY_PATH: a job on several nodes needs it",
                    reason == nullptr ? "no reason given" : reason)};
  }
  Library library;
  std::string absent;
  // The symbol as the headers mean it: later versions of a library keep it beside newer ones.
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

}  // namespace

Result<const Library*> load_library() {
  static const Result<Library> library = find_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gondwana::ofi
