#include "core/address_kind.hpp"

#include <fmt/format.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>

#include "core/call_frames.hpp"
#include "core/elf_symbols.hpp"
#include "core/readable_names.hpp"

namespace gondwana {
namespace {

std::string symbol_name(std::uintptr_t address, SymbolKind kind) {
  Symbol symbol;
  if (!find_symbol(address, kind, symbol)) return {};
  make_readable(symbol.name);
  return symbol.name.data();
}

bool is_on_own_stack(std::uintptr_t address) {
  pthread_attr_t facts;
  if (::pthread_getattr_np(::pthread_self(), &facts) != 0) return false;
  void* start = nullptr;
  std::size_t size = 0;
  const bool is_known = ::pthread_attr_getstack(&facts, &start, &size) == 0;
  ::pthread_attr_destroy(&facts);
  return is_known && address - reinterpret_cast<std::uintptr_t>(start) < size;
}

struct Owner {
  std::uintptr_t address;
  CallFrame frame;
};

// The innermost frame that begins above the address belongs to the caller.
bool visit_frame(void* data, const CallFrame& frame) {
  Owner& owner = *static_cast<Owner*>(data);
  if (frame.stack_begin > owner.address) return false;
  owner.frame = frame;
  return true;
}

AddressFacts on_stack(std::uintptr_t address) {
  Owner owner{address, {}};
  visit_call_frames(visit_frame, &owner);
  const std::string function = symbol_name(owner.frame.address, SymbolKind::function);
  return {AddressKind::stack, function.empty() ? "on the stack" : "on the stack of " + function};
}

struct Objects {
  std::uintptr_t address;
  AddressFacts facts;
};

bool contains(std::uintptr_t start, std::size_t size, std::uintptr_t address) {
  return address - start < size;
}

// For PT_TLS, dlpi_tls_data is the address of the calling thread's variables.
AddressFacts in_segment(const ElfW(Phdr) & segment, const dl_phdr_info& object,
                        std::uintptr_t address) {
  const bool is_program = *object.dlpi_name == '\0';
  if (segment.p_type == PT_TLS) {
    const auto start = reinterpret_cast<std::uintptr_t>(object.dlpi_tls_data);
    if (start == 0 || !contains(start, segment.p_memsz, address)) return {};
    return {AddressKind::thread_local_variable, "a thread-local variable"};
  }
  const bool is_relro = segment.p_type == PT_GNU_RELRO;
  if (segment.p_type != PT_LOAD && !is_relro) return {};
  if (!contains(object.dlpi_addr + segment.p_vaddr, segment.p_memsz, address)) return {};
  const std::string name = symbol_name(address, SymbolKind::variable);
  if (!is_program)
    return {AddressKind::library_variable,
            name.empty() ? fmt::format("in {}", object.dlpi_name)
                         : fmt::format("the variable {} of {}", name, object.dlpi_name)};
  if (!is_relro && (segment.p_flags & PF_W) != 0) return {};
  return {AddressKind::constant,
          name.empty() ? "a constant of the program" : "the constant " + name};
}

int visit_object(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  Objects& objects = *static_cast<Objects*>(data);
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  for (const ElfW(Phdr) & segment : segments) {
    AddressFacts facts = in_segment(segment, *object, objects.address);
    if (facts.kind == AddressKind::unknown) continue;
    objects.facts = std::move(facts);
    return 1;
  }
  return 0;
}

// The kernel's name of the mapping that contains the address; nothing if there is none.
std::optional<std::string> mapping_at(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::string skipped;
    std::string name;
    fields >> std::hex >> begin >> dash >> end;
    if (!contains(begin, end - begin, address)) continue;
    fields >> skipped >> skipped >> skipped >> skipped;
    std::getline(fields >> std::ws, name);
    return name;
  }
  return std::nullopt;
}

AddressFacts of_mapping(std::uintptr_t address) {
  const std::optional<std::string> name = mapping_at(address);
  if (!name) return {AddressKind::unmapped, "not memory of this process"};
  if (*name == "[heap]") return {AddressKind::malloc_heap, "memory from malloc"};
  if (*name == "[stack]") return {AddressKind::stack, "on the stack of another thread"};
  if (name->starts_with("/memfd:gondwana"))
    return {AddressKind::window_of_rank, "memory of a rank, as shmem_ptr returns it"};
  if (name->empty() || name->starts_with("["))
    return {AddressKind::private_mapping, "private memory, such as malloc returns"};
  return {AddressKind::file_mapping, "memory of the file " + *name};
}

}  // namespace

AddressFacts find_address_facts(const void* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  if (address == 0) return {AddressKind::null, "null"};
  if (is_on_own_stack(address)) return on_stack(address);
  Objects objects{address, {}};
  ::dl_iterate_phdr(visit_object, &objects);
  if (objects.facts.kind != AddressKind::unknown) return objects.facts;
  return of_mapping(address);
}

}  // namespace gondwana
