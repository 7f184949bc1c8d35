// How a library came into the running program.
#pragma once

#include <string_view>

namespace gondwana {

// `needed`: the program was linked with it, or with a library that needs it. `extra`: it was loaded
// by dlopen() or a preload.
enum class LibraryPresence { absent, extra, needed };

// Of the library with this file name, given without its version.
LibraryPresence presence_of(std::string_view library);

}  // namespace gondwana
