// How a library was loaded into the running program.
#pragma once

#include <string_view>

namespace gondwana {

// `needed`: the program was linked with it, or with a library that needs it. `extra`: dlopen() or a
// preload loaded it.
enum class LibraryPresence { absent, extra, needed };

// `library`: the file name, without version.
LibraryPresence presence_of(std::string_view library);

}  // namespace gondwana
