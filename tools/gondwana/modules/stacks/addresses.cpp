// Maps addresses in a file to functions and lines, for the page of `gondwana run --profile`. Its
// Python script calls this through ctypes.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "modules/stacks/demangled.hpp"
#include "modules/stacks/stacks.hpp"

namespace gondwana::stacks {
namespace {

struct Ended {
  void operator()(Dwfl* session) const { ::dwfl_end(session); }
};
using Session = std::unique_ptr<Dwfl, Ended>;

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

struct Place {
  std::string file;
  int line = 0;
};

std::string line_of_text(const std::string& function, const Place& place) {
  return fmt::format("{}\t{}\t{}\n", function, place.file, place.line);
}

Place place_of(Dwfl_Module* module, Dwarf_Addr address) {
  Place place;
  if (Dwfl_Line* line = ::dwfl_module_getsrc(module, address))
    if (const char* file = ::dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr))
      place.file = file;
  return place;
}

// The place where an inlined function is called.
Place call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Place place;
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  Dwarf_Files* files = nullptr;
  if (::dwarf_formudata(::dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
    place.line = static_cast<int>(number);
  if (::dwarf_getsrcfiles(unit, &files, nullptr) == 0 &&
      ::dwarf_formudata(::dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0)
    if (const char* file = ::dwarf_filesrc(files, number, nullptr, nullptr)) place.file = file;
  return place;
}

std::string function_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  if (const char* mangled =
          ::dwarf_formstring(::dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)))
    return demangled(mangled);
  const char* name = ::dwarf_diename(die);
  return name != nullptr ? name : "";
}

// The function at the address and the functions it is inlined into, innermost first. Empty without
// debugging information.
std::string inlined_lines(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = ::dwfl_module_addrdie(module, address, &bias);
  Dwarf_Die* found = nullptr;
  if (unit == nullptr || ::dwarf_getscopes(unit, address - bias, &found) <= 0) return "";
  const std::unique_ptr<Dwarf_Die, Freed> innermost(found);
  const int count = ::dwarf_getscopes_die(innermost.get(), &found);
  if (count <= 0) return "";
  const std::unique_ptr<Dwarf_Die, Freed> scopes(found);
  std::string text;
  Place place = place_of(module, address);
  for (Dwarf_Die& scope : std::span(scopes.get(), static_cast<std::size_t>(count))) {
    const int tag = ::dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    text += line_of_text(function_of(&scope), place);
    if (tag == DW_TAG_subprogram) break;
    place = call_of(unit, &scope);
  }
  return text;
}

std::string lines_of(const char* file, Dwarf_Addr address) {
  static char* no_path = nullptr;
  const Dwfl_Callbacks callbacks{.find_elf = &::dwfl_build_id_find_elf,
                                 .find_debuginfo = &::dwfl_standard_find_debuginfo,
                                 .section_address = nullptr,
                                 .debuginfo_path = &no_path};
  // Keeps the last file: reading one is slow, and its addresses are looked up together.
  static Session session;
  static std::string file_of_session;
  if (session == nullptr || file_of_session != file) {
    session.reset(::dwfl_begin(&callbacks));
    file_of_session = file;
    if (session == nullptr) return "";
    ::dwfl_report_elf(session.get(), file, file, -1, 0, true);
    ::dwfl_report_end(session.get(), nullptr, nullptr);
  }
  Dwfl_Module* module = ::dwfl_addrmodule(session.get(), address);
  if (module == nullptr) return "";
  if (std::string text = inlined_lines(module, address); !text.empty()) return text;
  const char* name = ::dwfl_module_addrname(module, address);
  return name != nullptr ? line_of_text(demangled(name), {}) : "";
}

}  // namespace
}  // namespace gondwana::stacks

extern "C" [[gnu::visibility("default")]] void gondwana_lines_of_address(const char* file,
                                                                         std::uint64_t address,
                                                                         char* text,
                                                                         std::size_t size) {
  const std::string found = gondwana::stacks::lines_of(file, address).substr(0, size - 1);
  *std::ranges::copy(found, text).out = '\0';
}
