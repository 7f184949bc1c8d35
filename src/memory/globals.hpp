// Symmetric globals: the program's global and static variables, mapped on shared memory at their
// own addresses.
//
// Runs in a constructor, with one thread: nothing may write to a page between its copy and its
// replacement. Thread-local variables, constants and the globals of shared libraries stay private.
#pragma once

#include <optional>
#include <vector>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// The loader's view of the running program.
struct ProgramImage {
  // Whole pages: from the end of the read-only relocations to the end of .bss. A linker may put the
  // variables in several segments with other data between them: these pages are the `parts`.
  MutableBytes globals;
  std::vector<MutableBytes> parts;
  std::uint64_t id = 0;        // hash of its build id; of its file if it has none
  bool links_library = false;  // linked with the calling library, not loaded later
};

// `library`: the file name, without version, of the calling library.
ProgramImage inspect_program(const char* library);

// What the globals hold afterwards: what they held, or what lies in the arena.
enum class Contents : std::uint8_t { copied, kept };

// Copies the globals to `offset` of `arena` and maps them from there, at the same addresses. Zero
// pages are not copied, so a large .bss costs nothing.
Result<void> share_globals(const ProgramImage& image, const UniqueFd& arena, std::size_t offset,
                           Contents contents = Contents::copied);

// Moves the globals to `window`, a mapping of another arena. Nothing else may write to them.
Result<void> move_globals(const ProgramImage& image, std::byte* window);

// In a forked child: replaces the shared pages with a private copy. Uses system calls only.
void make_globals_private(const ProgramImage& image);

}  // namespace gondwana
