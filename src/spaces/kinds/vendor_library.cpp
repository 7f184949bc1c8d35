#include "spaces/kinds/vendor_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <string_view>

#include "core/static_program.hpp"

namespace gondwana {

Result<VendorLibrary> VendorLibrary::load(LibraryNames names, const char* vendor) {
  if (is_static_program())
    return Error{
        Errc::missing,
        fmt::format("a statically linked executable cannot load {}; link it without -static",
                    names.front())};
  std::string reason;
  for (const char* name : names) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); handle != nullptr)
      return VendorLibrary(handle, name);
    const char* said = ::dlerror();
    if (reason.empty()) reason = said == nullptr ? "no reason given" : said;
  }
  return Error{Errc::missing, fmt::format("{} cannot be loaded ({}); install {}, or put it on "
                                          "LD_LIBRARY_PATH",
                                          names.front(), reason, vendor)};
}

// Does not use dlopen(), which would search for the file of a library that is not loaded, in every
// process.
bool VendorLibrary::is_loaded(LibraryNames names) {
  const auto is_one = [](dl_phdr_info* object, std::size_t /*size*/, void* data) {
    const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    const std::string_view name =
        path.substr(path.rfind('/') + 1);  // the whole path if it has no slash
    return std::ranges::count(*static_cast<const LibraryNames*>(data), name) > 0 ? 1 : 0;
  };
  return !names.empty() && ::dl_iterate_phdr(is_one, &names) != 0;
}

void* VendorLibrary::symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

Result<void> VendorLibrary::check() const {
  if (absent_ == nullptr) return {};
  return Error{Errc::missing,
               fmt::format("this {} has no {}; install a newer driver", name_, absent_)};
}

}  // namespace gondwana
