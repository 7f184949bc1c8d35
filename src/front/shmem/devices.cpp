#include "front/shmem/devices.hpp"

#include <fmt/format.h>

#include <cstring>

namespace gondwana::shmem {
namespace {

// A registered buffer within the allocation, or null.
const void* buffer_in(const Caller& caller, const Kind& kind, const std::byte* allocation) {
  for (const GivenBuffer& each : caller.door.buffers()) {
    const auto* begin = static_cast<const std::byte*>(each.address);
    if (!each.on_device || begin < allocation) continue;
    const std::size_t size = each.parts[index(caller.engine.rank())].size;
    const auto before = static_cast<std::size_t>(begin - allocation);
    if (kind.holds({allocation, before + size})) return begin;
  }
  return nullptr;
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
  caller.report(memory.error().text);
  return nullptr;
}

void device_free(const Caller& caller, void* address) {
  if (address == nullptr) return;
  const MutableBytes memory(static_cast<std::byte*>(address), 1);
  Kind* kind = caller.engine.kinds().of(memory);
  const void* buffer = kind == nullptr ? nullptr : buffer_in(caller, *kind, memory.data());
  if (buffer != nullptr)
    return caller.report(
        fmt::format("{}: its buffer at {} is still registered; call shmemx_buffer_unregister first",
                    fmt::ptr(address), fmt::ptr(buffer)));
  if (kind == nullptr || !kind->release(memory.data()))
    caller.report(
        fmt::format("{}: not a pointer that shmemx_device_malloc returned", fmt::ptr(address)));
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
  caller.report(copied.error().text);
  return 1;
}

}  // namespace gondwana::shmem
