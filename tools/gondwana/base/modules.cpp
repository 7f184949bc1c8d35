#include "base/modules.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/own_files.hpp"

namespace gondwana {
namespace {

// Beside this program in a build folder, else where it is installed.
void* load(const char* module) {
  for (const char* folder : {".", GONDWANA_MODULES}) {
    const std::filesystem::path file = own_path().parent_path() / folder / module;
    // Never unloaded: what it returns may refer to its code.
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
