// Lists the variables of a file for `gondwana trace`; the process itself may have ended.
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <memory>

#include "modules/stacks/demangled.hpp"
#include "modules/stacks/stacks.hpp"

namespace gondwana::stacks {
namespace {

struct Ended {
  void operator()(Dwfl* session) const { ::dwfl_end(session); }
};

std::vector<Symbol> variables_of(const std::string& file) {
  static char* no_path = nullptr;
  const Dwfl_Callbacks callbacks{.find_elf = &::dwfl_build_id_find_elf,
                                 .find_debuginfo = &::dwfl_standard_find_debuginfo,
                                 .section_address = nullptr,
                                 .debuginfo_path = &no_path};
  const std::unique_ptr<Dwfl, Ended> session(::dwfl_begin(&callbacks));
  if (session == nullptr) return {};
  Dwfl_Module* module = ::dwfl_report_elf(session.get(), file.c_str(), file.c_str(), -1, 0, true);
  ::dwfl_report_end(session.get(), nullptr, nullptr);
  if (module == nullptr) return {};
  std::vector<Symbol> variables;
  const int symbols = ::dwfl_module_getsymtab(module);
  for (int number = 1; number < symbols; ++number) {
    GElf_Sym symbol{};
    GElf_Addr begin = 0;
    const char* name =
        ::dwfl_module_getsym_info(module, number, &symbol, &begin, nullptr, nullptr, nullptr);
    if (name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0)
      variables.push_back({begin, symbol.st_size, demangled(name)});
  }
  std::ranges::stable_sort(variables, {}, &Symbol::begin);
  return variables;
}

}  // namespace
}  // namespace gondwana::stacks

extern "C" [[gnu::visibility("default")]] void gondwana_variables_of_file(
    const std::string& file, std::vector<gondwana::stacks::Symbol>* variables) {
  *variables = gondwana::stacks::variables_of(file);
}
