#include "front/shmem/devices.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/print_error.hpp"

namespace gondwana::shmem {
namespace {

void tell(const Caller& caller, const std::string& why) {
  print_error("gondwana: rank {}: {}: {}\n", index(caller.engine.rank()), caller.name, why);
}

}  // namespace

int devices(const Caller& caller) {
  return static_cast<int>(caller.engine.kinds().devices());
}

int device_name(const Caller& caller, int device, char* name, std::size_t bytes) {
  const Result<Kind*> kind = caller.engine.kinds().device(device);
  if (!kind) return 1;
  const std::string text = name_of((*kind)->device());
  if (bytes > 0) name[text.copy(name, bytes - 1)] = '\0';
  return 0;
}

int device_of(const Caller& caller, const void* address) {
  Kinds& kinds = caller.engine.kinds();
  const Kind* kind = kinds.owner_of({static_cast<const std::byte*>(address), 1});
  return kind == nullptr ? -1 : kinds.number_of(*kind);
}

void* device_malloc(const Caller& caller, int device, std::size_t bytes) {
  const Result<Kind*> kind = caller.engine.kinds().device(device);
  const Result<MutableBytes> memory =
      kind ? (*kind)->allocate(bytes) : Result<MutableBytes>(kind.error());
  if (memory) return memory->data();
  tell(caller, memory.error().text);
  return nullptr;
}

void device_free(const Caller& caller, void* address) {
  if (address == nullptr) return;
  const MutableBytes memory(static_cast<std::byte*>(address), 1);
  if (const Bytes buffer = caller.engine.buffers().overlapping(memory); !buffer.empty())
    return tell(caller, fmt::format("{} is in a registered buffer; call shmemx_buffer_unregister "
                                    "first",
                                    fmt::ptr(address)));
  Kind* kind = caller.engine.kinds().of(memory);
  if (kind == nullptr || !kind->release(memory.data()))
    tell(caller, fmt::format("{}: shmemx_device_malloc has not returned it", fmt::ptr(address)));
}

int device_memcpy(const Caller& caller, void* dest, const void* source, std::size_t bytes) {
  if (bytes == 0) return 0;
  KindAccess* access = caller.engine.kind_access();
  if (access == nullptr) {
    std::memmove(dest, source, bytes);
    return 0;
  }
  caller.engine.kinds().owner_of({static_cast<const std::byte*>(source), bytes});
  const Result<void> copied = access->any_memory().copy(
      static_cast<std::byte*>(dest), static_cast<const std::byte*>(source), bytes);
  if (copied) return 0;
  tell(caller, copied.error().text);
  return 1;
}

}  // namespace gondwana::shmem
