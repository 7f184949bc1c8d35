// Symmetric globals: the program's own global and static variables, laid on shared memory at the
// addresses where they are.
//
// Must happen in a constructor, while there is one thread: between the copy of a page and its
// replacement nothing may write to it. Thread-local variables, constants and the globals of shared
// libraries stay private.
#pragma once

#include <optional>
#include <vector>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// What the loader knows of the running program.
struct ProgramImage {
  // Whole pages: from behind the read-only relocations to the end of .bss. A linker may lay the
  // variables in several segments, with other things between them: these pages are the `parts`.
  MutableBytes globals;
  std::vector<MutableBytes> parts;
  std::uint64_t id = 0;        // hash of its build id; of its whole file where it has none
  bool links_library = false;  // it was linked with the library that asks, not loaded it later
};

// `library`: the file name, without version, of the library that asks.
ProgramImage inspect_program(const char* library);

// Copies the globals to `offset` of `arena` and maps them from there, at the same addresses. Pages
// that are all zero are not copied, so a large .bss costs nothing.
Result<void> share_globals(const ProgramImage& image, const UniqueFd& arena, std::size_t offset);

// In a forked child: a private copy in the place of the shared pages. System calls only.
void make_globals_private(const ProgramImage& image);

}  // namespace gondwana
