// How a library got into the running program.
#pragma once

#include <string_view>

namespace gondwana {

// `needed`: the program was linked with it, or with a library that needs it. `extra`: dlopen() or a
// preload loaded it.
enum class LibraryPresence { absent, extra, needed };

// The library with this file name, which has no version.
LibraryPresence presence_of(std::string_view library);

}  // namespace gondwana
