#include "base/modules.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/own_files.hpp"

namespace gondwana {
namespace {

// Looks next to this program, as in a build folder, then where modules are installed.
void* load(const char* module) {
  for (const char* folder : {".", GONDWANA_MODULES}) {
    const std::filesystem::path file = own_path().parent_path() / folder / module;
    // Never unloaded: returned objects may refer to its code.
    if (void* loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return loaded;
  }
  return nullptr;
}

}  // namespace

Result<void*> find_in_module(const char* module, const char* function) {
  void* loaded = load(module);
  void* symbol = loaded != nullptr ? ::dlsym(loaded, function) : nullptr;
  if (symbol != nullptr) return symbol;
  return Error{Errc::missing, ::dlerror()};
}

}  // namespace gondwana
