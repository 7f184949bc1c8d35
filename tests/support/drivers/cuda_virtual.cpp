#include "support/drivers/cuda_virtual.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "support/drivers/memory.hpp"

namespace {

using standin::give_up;
using standin::injected;
using standin::lock;
using standin::memory;
using Address = unsigned long long;
using Handle = unsigned long long;

constexpr std::size_t granule = std::size_t{64} * 1024;
constexpr int success = 0;
constexpr int by_descriptor = 1;

struct Physical {
  int file;
  std::size_t size;
  int device;
  int types;
  int references = 1;  // held by the program
  int mappings = 0;
};

struct State {
  std::map<Handle, Physical> made;
  std::map<std::byte*, std::size_t> reserved;
  std::map<std::byte*, Handle> mapped;
  Handle last = 1000;
};

State& state() {
  static auto& one = *new State;
  return one;
}

std::byte* pointer(Address address) {
  return reinterpret_cast<std::byte*>(address);
}

Physical& physical(const char* call, Handle handle) {
  const auto found = state().made.find(handle);
  if (found == state().made.end()) give_up(call, "that is no handle of memory");
  return found->second;
}

void drop(Handle handle) {
  const Physical& made = state().made.at(handle);
  if (made.references > 0 || made.mappings > 0) return;
  ::close(made.file);
  state().made.erase(handle);
}

Handle add(int file, std::size_t size, int device, int types) {
  state().made.emplace(++state().last, Physical{file, size, device, types});
  return state().last;
}

// The reservation that contains the whole range.
std::byte* range_of(const char* call, std::byte* begin, std::size_t size) {
  for (const auto& [first, length] : state().reserved)
    if (begin >= first && begin + size <= first + length) return first;
  give_up(call, "the addresses were not reserved");
}

}  // namespace

std::size_t standin::virtual_memory_left() {
  return state().made.size() + state().reserved.size();
}

#define STANDIN_ENTER(call)            \
  const std::scoped_lock held(lock()); \
  if (const int status = injected(call); status != success) return status

// NOLINTBEGIN(readability-identifier-naming): names of CUDA
extern "C" {

struct Properties {
  int type;
  int types_of_handles;
  int kind_of_place;
  int device;
  void* of_other_systems;
  std::array<unsigned char, 8> flags;
};

int cuMemCreate(Handle* handle, std::size_t size, const Properties* properties, Handle flags) {
  STANDIN_ENTER("cuMemCreate");
  if (properties->type != 1 || properties->kind_of_place != 1 || flags != 0)
    give_up("cuMemCreate", "properties that it does not know");
  if (size == 0 || size % granule != 0) give_up("cuMemCreate", "no multiple of 64 KiB");
  const std::string name = "stand-in-device-" + std::to_string(properties->device);
  const int file = ::memfd_create(name.c_str(), MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(size)) != 0)
    give_up("cuMemCreate", "no memory is left");
  *handle = add(file, size, properties->device, properties->types_of_handles);
  return success;
}

int cuMemRelease(Handle handle) {
  STANDIN_ENTER("cuMemRelease");
  if (--physical("cuMemRelease", handle).references < 0)
    give_up("cuMemRelease", "it was released before");
  drop(handle);
  return success;
}

int cuMemAddressReserve(Address* address, std::size_t size, std::size_t alignment, Address at,
                        Handle flags) {
  STANDIN_ENTER("cuMemAddressReserve");
  if (size == 0 || size % granule != 0 || alignment != 0 || at != 0 || flags != 0)
    give_up("cuMemAddressReserve", "arguments that it does not know");
  void* begin =
      ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  state().reserved[static_cast<std::byte*>(begin)] = size;
  *address = reinterpret_cast<Address>(begin);
  return success;
}

int cuMemAddressFree(Address address, std::size_t size) {
  STANDIN_ENTER("cuMemAddressFree");
  const auto found = state().reserved.find(pointer(address));
  if (found == state().reserved.end() || found->second != size)
    give_up("cuMemAddressFree", "that was not reserved");
  for (const auto& [begin, handle] : state().mapped)
    if (begin >= found->first && begin < found->first + size)
      give_up("cuMemAddressFree", "some of it is mapped");
  state().reserved.erase(found);
  return success;
}

int cuMemMap(Address address, std::size_t size, std::size_t offset, Handle handle, Handle flags) {
  STANDIN_ENTER("cuMemMap");
  Physical& made = physical("cuMemMap", handle);
  std::byte* range = range_of("cuMemMap", pointer(address), size);
  if (offset != 0 || flags != 0 || size != made.size)
    give_up("cuMemMap", "not all of it, or flags that it does not know");
  memory().map(pointer(address),
               {.size = size,
                .device = made.device,
                .is_denied = true,
                .types = made.types,
                .range = range,
                .range_size = state().reserved.at(range)},
               made.file);
  ++made.mappings;
  state().mapped[pointer(address)] = handle;
  return success;
}

int cuMemUnmap(Address address, std::size_t size) {
  STANDIN_ENTER("cuMemUnmap");
  memory().unmap("cuMemUnmap", pointer(address), size);
  const Handle handle = state().mapped.at(pointer(address));
  state().mapped.erase(pointer(address));
  --state().made.at(handle).mappings;
  drop(handle);
  return success;
}

struct Access {
  int kind_of_place;
  int device;
  int rights;
};

int cuMemSetAccess(Address address, std::size_t /*size*/, const Access* access, std::size_t count) {
  STANDIN_ENTER("cuMemSetAccess");
  standin::Block& block = memory().block("cuMemSetAccess", pointer(address));
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].kind_of_place != 1 || access[i].rights != 3)
      give_up("cuMemSetAccess", "a place or rights that it does not know");
    if (access[i].device == block.device) block.is_denied = false;
  }
  return success;
}

int cuMemGetAddressRange_v2(Address* begin, std::size_t* size, Address address) {
  STANDIN_ENTER("cuMemGetAddressRange_v2");
  const standin::Block* block = memory().find("cuMemGetAddressRange_v2", pointer(address));
  if (block == nullptr) return 1;
  *begin = reinterpret_cast<Address>(block->shown);
  *size = block->size;
  return success;
}

int cuMemRetainAllocationHandle(Handle* handle, const void* address) {
  STANDIN_ENTER("cuMemRetainAllocationHandle");
  const standin::Block* block = memory().find("cuMemRetainAllocationHandle", address);
  if (block == nullptr || block->range == nullptr) return 1;
  *handle = state().mapped.at(block->shown);
  ++state().made.at(*handle).references;
  return success;
}

int cuMemExportToShareableHandle(int* file, Handle handle, int type, Handle flags) {
  STANDIN_ENTER("cuMemExportToShareableHandle");
  const Physical& made = physical("cuMemExportToShareableHandle", handle);
  if (type != by_descriptor || flags != 0 || (made.types & type) == 0)
    give_up("cuMemExportToShareableHandle", "the memory was not made for such handles");
  *file = ::dup(made.file);
  return success;
}

// The file's name contains the device number.
int cuMemImportFromShareableHandle(Handle* handle, void* number, int type) {
  STANDIN_ENTER("cuMemImportFromShareableHandle");
  const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(number));
  std::array<char, 100> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  constexpr const char* begin = "/memfd:stand-in-device-";
  struct stat facts{};
  if (::readlink(link.c_str(), name.data(), name.size() - 1) < 0 || ::fstat(file, &facts) != 0 ||
      std::strncmp(name.data(), begin, std::strlen(begin)) != 0 || type != by_descriptor)
    give_up("cuMemImportFromShareableHandle", "that is no descriptor of memory");
  *handle = add(::dup(file), static_cast<std::size_t>(facts.st_size),
                std::atoi(name.data() + std::strlen(begin)), 0);
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
