#include "process/library_presence.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gondwana {
namespace {

// `table` is read only for objects that the program needs. The kernel's table is not relocated.
struct LoadedObject {
  std::string file;  // without folders; empty: the program
  const ElfW(Dyn) * table = nullptr;
};

int note_object(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& objects = *static_cast<std::vector<LoadedObject>*>(data);
  const std::string_view path = objects.empty() ? "" : object->dlpi_name;
  LoadedObject& noted = objects.emplace_back();
  noted.file = path.substr(path.rfind('/') + 1);
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::uintptr_t address = object->dlpi_addr + segment.p_vaddr;
    noted.table = reinterpret_cast<const ElfW(Dyn)*>(address);
  }
  return 0;
}

std::vector<std::string_view> needs(const LoadedObject& object) {
  std::vector<std::string_view> result;
  const char* names = nullptr;
  for (const auto* entry = object.table; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const auto* entry = object.table; names != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_NEEDED) continue;
    const std::string_view path = names + entry->d_un.d_val;
    result.push_back(path.substr(path.rfind('/') + 1));
  }
  return result;
}

}  // namespace

LibraryPresence presence_of(std::string_view library) {
  std::vector<LoadedObject> objects;
  ::dl_iterate_phdr(note_object, &objects);
  const auto is_it = [&](std::string_view file) { return file.starts_with(library); };
  if (std::ranges::none_of(objects, is_it, &LoadedObject::file)) return LibraryPresence::absent;
  std::vector<std::string_view> reached{""};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (is_it(reached[i])) return LibraryPresence::needed;
    const auto object = std::ranges::find(objects, reached[i], &LoadedObject::file);
    if (object == objects.end()) continue;
    for (const std::string_view file : needs(*object))
      if (std::ranges::find(reached, file) == reached.end()) reached.push_back(file);
  }
  return LibraryPresence::extra;
}

}  // namespace gondwana
