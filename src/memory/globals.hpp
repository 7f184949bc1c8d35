// Symmetric globals: the program's own global and static variables, laid on shared memory at the
// addresses where they are.
//
// Must happen in a constructor, while there is one thread: between the copy of a page and its
// replacement nothing may write to it. Thread-local variables, constants and the globals of shared
// libraries stay private.
#pragma once

#include <optional>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// What the loader knows of the running program.
struct ProgramImage {
  MutableBytes globals;  // whole pages: from behind the read-only relocations to the end of .bss
  std::uint64_t id = 0;  // hash of its build id; of its whole file where it has none
  bool links_library = false;  // it was linked with the library that asks, not loaded it later
};

// `library`: the file name, without version, of the library that asks.
ProgramImage inspect_program(const char* library);

// Copies `globals` to `offset` of `arena` and maps them from there, at the same addresses. Pages
// that are all zero are not copied, so a large .bss costs nothing.
Result<void> share_globals(MutableBytes globals, const UniqueFd& arena, std::size_t offset);

// In a forked child: a private copy in the place of the shared pages. System calls only.
void make_globals_private(MutableBytes globals);

}  // namespace gondwana
