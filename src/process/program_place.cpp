#include "process/program_place.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/elf_symbols.hpp"
#include "core/readable_names.hpp"
#include "core/thread_stack.hpp"
#include "process/message.hpp"
#include "process/stack.hpp"

namespace gondwana {
namespace {

constexpr unsigned max_search_frames = 8;

std::string_view file_name(const char* path) {
  const std::string_view text = path;
  return text.substr(text.rfind('/') + 1);
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto one) { return text.starts_with(one); });
}

// The executable, identified by its entry point.
const Dl_info& executable() {
  static const Dl_info found = [] {
    Dl_info info{};
    ::dladdr(reinterpret_cast<const void*>(::getauxval(AT_ENTRY)), &info);
    return info;
  }();
  return found;
}

// Whether this code is linked into the executable, or into a library of the program.
bool is_linked_into(const Dl_info& module) {
  Dl_info own{};
  return ::dladdr(reinterpret_cast<const void*>(&is_linked_into), &own) != 0 &&
         own.dli_fbase == module.dli_fbase;
}

// Functions of our headers, which compilers put into the program, and of our library if it is
// linked statically. A program with similar names and without debug information loses a frame.
bool has_own_name(const char* function, const Dl_info& module) {
  if (begins_with_any(function, {"gex_", "gasnet_", "gasneti_", "gasnett_"})) return true;
  return is_linked_into(module) &&
         begins_with_any(function, {"_ZN8gondwana", "_ZNK8gondwana", "_ZZN8gondwana", "_ZN3fmt",
                                    "_ZNSt", "_ZNKSt", "_ZSt", "shmem_", "shmemx_", "pshmem_",
                                    "start_pes", "ARMCI_", "armci_", "PARMCI_", "_Unwind_"});
}

// Includes C++ templates of the compiler: their callers matter.
bool is_of_header(const char* file) {
  const std::string_view path = file;
  const bool is_ours = path.ends_with(".h") && path.find("/gasnet/") != path.npos;
  return is_ours || path.find("/include/c++/") != path.npos ||
         begins_with_any(file_name(file), {"gasnetex.h", "gasnet.h", "shmem.h", "shmemx.h"});
}

// The work of an interpreter is not the work of its program.
bool is_python() {
  const char* path = executable().dli_fname;
  return path != nullptr && file_name(path).starts_with("python");
}

enum class Owner : std::uint8_t { program, library };

// Libraries of the program count as the program. Libraries of the system and ours do not.
Owner owner_of(const Frame& frame) {
  Dl_info module{};
  if (::dladdr(reinterpret_cast<const void*>(frame.address), &module) == 0) return Owner::library;
  if (module.dli_fbase == executable().dli_fbase) {
    if (is_python()) return Owner::library;
  } else {
    if (begins_with_any(module.dli_fname, {"/usr/", "/lib"})) return Owner::library;
    if (begins_with_any(file_name(module.dli_fname),
                        {"libgondwana", "libgasnet", "libarmci", "_ctypes", "libffi", "libpython"}))
      return Owner::library;
  }
  if (frame.function == nullptr || std::strcmp(frame.function, "_start") == 0)
    return Owner::library;
  const bool is_own =
      frame.file != nullptr ? is_of_header(frame.file) : has_own_name(frame.function, module);
  return is_own ? Owner::library : Owner::program;
}

std::array<char, 256> readable(std::string_view function) {
  if (function == "MAIN__") return {"the main program"};
  for (const std::string_view prefix : {"__GI_", "__libc_"})  // names of glibc's own calls
    if (function.starts_with(prefix)) function.remove_prefix(prefix.size());
  std::array<char, 256> name{};
  function.copy(name.data(), name.size() - 1);
  make_readable(name);
  return name;
}

// A function that the program may have called, not an internal one.
std::array<char, 256> readable_call(const char* function) {
  const std::array<char, 256> name = readable(function != nullptr ? function : "");
  return std::string_view(name.data()).find("::") == std::string_view::npos
             ? name
             : std::array<char, 256>{};
}

// A frame with copies of its texts.
struct KeptFrame {
  std::array<char, 256> function{};
  std::array<char, 512> file{};
  int line = 0;

  void keep(const Frame& frame) {
    function = readable(frame.function);
    if (frame.file != nullptr) std::strncpy(file.data(), frame.file, file.size() - 1);
    line = frame.line;
  }
};

// An overflowed stack has thousands of frames.
constexpr unsigned max_visited = 300;

struct Walk {
  std::uintptr_t from = 0;  // 0: found
  unsigned visited = 0;

  bool has_begun(const Frame& frame) {
    if (from != 0 && is_at(frame, from)) from = 0;
    return from == 0;
  }
  bool continues() { return ++visited < max_visited; }
};

struct PlaceSearch {
  Walk walk;
  KeptFrame found;
  bool is_found = false;
  std::array<char, 256>* called;

  // A function without debug information is the place only if none of its callers has debug
  // information.
  bool visit(const Frame& frame) {
    if (!walk.has_begun(frame)) return walk.continues();
    if (owner_of(frame) == Owner::library) {
      if (!is_found) *called = readable_call(frame.function);
    } else if (!is_found || frame.file != nullptr) {
      found.keep(frame);
      is_found = true;
    }
    return found.file.front() == '\0' && walk.continues();
  }
};

struct FramePrinter {
  Walk walk;
  int fd;
  unsigned count = 0;
  KeptFrame first;

  bool visit(const Frame& frame) {
    if (!walk.has_begun(frame) || owner_of(frame) == Owner::library) return walk.continues();
    if (count == max_search_frames) {
      print_to(fd, "  ... GONDWANA_BACKTRACE=yes prints all frames");
      return false;
    }
    KeptFrame here;
    here.keep(frame);
    if (count == 0) first = here;
    if (count == 1) print(0, first);
    if (count > 0) print(count, here);
    ++count;
    return std::strcmp(frame.function, "main") != 0 && walk.continues();
  }

  void print(unsigned number, const KeptFrame& frame) const {
    if (frame.file.front() != '\0')
      print_to(fd, "  #%u %s at %s:%d", number, frame.function.data(), frame.file.data(),
               frame.line);
    else
      print_to(fd, "  #%u %s", number, frame.function.data());
  }
};

// If no frame matches the place itself, unwinding stopped early: only the place is known.
template <typename Visitor>
void visit_frames(Visitor& visitor) {
  const VisitFrame visit = [](void* data, const Frame& frame) {
    return static_cast<Visitor*>(data)->visit(frame);
  };
  const std::uintptr_t from = visitor.walk.from;
  walk_stack(visit, &visitor);
  if (visitor.walk.from != 0) visit_address(from, visit, &visitor);
}

}  // namespace

bool find_program_place(ProgramPlace& place, std::uintptr_t from) {
  PlaceSearch search{.walk = {from}, .found = {}, .called = &place.called};
  visit_frames(search);
  if (!search.is_found) return false;
  const KeptFrame& found = search.found;
  if (found.file.front() != '\0')
    std::snprintf(place.text.data(), place.text.size(), "in %s, %s:%d", found.function.data(),
                  file_name(found.file.data()).data(), found.line);
  else
    std::snprintf(place.text.data(), place.text.size(), "in %s", found.function.data());
  return true;
}

void print_program_frames(int fd, std::uintptr_t from) {
  FramePrinter printer{.walk = {from}, .fd = fd, .first = {}};
  visit_frames(printer);
}

std::string caller_in_brackets() {
  // Reading debug information needs more stack than a small thread has.
  constexpr std::size_t min_stack = std::size_t{128} << 10;
  if (own_stack_size().value_or(min_stack) < min_stack) return {};
  ProgramPlace place;
  if (!find_program_place(place)) return {};
  return std::string(" (") + place.text.data() + ")";
}

}  // namespace gondwana
