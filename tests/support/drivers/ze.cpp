// A replacement of libze_loader.so.1: the calls that Gondwana uses, with Level Zero's signatures.
#include <array>
#include <cstring>
#include <set>

#include "support/drivers/memory.hpp"

namespace {

using standin::give_up;
using standin::injected;
using standin::lock;
using standin::memory;
using Handle = void*;

enum Status : int {
  success = 0,
  out_of_device_memory = 0x70000003,
  uninitialized = 0x78000001,
};

struct Device {
  int number;
};
struct List {
  int device;
};

struct State {
  bool has_begun = false;
  char driver = 0;
  std::array<Device, 16> devices;
  std::set<Handle> contexts;
  std::set<Handle> lists;
};

State& state() {
  static auto& one = *new State;
  return one;
}

int device_of(const char* call, Handle device) {
  for (Device& each : state().devices)
    if (device == &each) return each.number;
  give_up(call, "that is no device");
}

void check_context(const char* call, Handle context) {
  if (!state().contexts.contains(context)) give_up(call, "that is no context");
}

// The head of every structure.
struct Header {
  std::uint32_t type;
  const void* next;
};
void check_type(const char* call, const void* structure, std::uint32_t type) {
  const auto* header = static_cast<const Header*>(structure);
  if (header == nullptr || header->type != type) give_up(call, "a structure of the wrong type");
  if (header->next != nullptr) give_up(call, "an extension that it does not know");
}

int enter(const char* call) {
  return state().has_begun ? injected(call) : static_cast<int>(uninitialized);
}

[[gnu::destructor]] void look_for_leaks() {
  if (!standin::has_variable("STANDIN_LEAKS", "abort")) return;
  if (memory().left() > 0) give_up("exit", "memory was not freed, or a handle not closed");
  if (!state().lists.empty()) give_up("exit", "command lists were not destroyed");
}

// Common code of the calls that list objects.
template <typename Name>
int list(std::uint32_t* count, Handle* handles, std::uint32_t all, const Name& name) {
  if (handles == nullptr || *count > all) *count = all;
  for (std::uint32_t i = 0; handles != nullptr && i < *count; ++i) handles[i] = name(i);
  return success;
}

}  // namespace

#define STANDIN_ENTER(call)            \
  const std::scoped_lock held(lock()); \
  if (const int status = enter(call); status != success) return status

// NOLINTBEGIN(readability-identifier-naming): names of Level Zero
extern "C" {

int zeInit(std::uint32_t flags) {
  const std::scoped_lock held(lock());
  if (flags > 1) give_up("zeInit", "flags that it does not know");
  if (const int status = injected("zeInit"); status != success) return status;
  state().has_begun = true;
  for (std::size_t i = 0; i < state().devices.size(); ++i)
    state().devices.at(i).number = static_cast<int>(i);
  return success;
}

int zeDriverGet(std::uint32_t* count, Handle* drivers) {
  STANDIN_ENTER("zeDriverGet");
  return list(count, drivers, 1, [](std::uint32_t /*i*/) { return &state().driver; });
}

int zeDeviceGet(Handle driver, std::uint32_t* count, Handle* devices) {
  STANDIN_ENTER("zeDeviceGet");
  if (driver != &state().driver) give_up("zeDeviceGet", "that is no driver");
  return list(count, devices, static_cast<std::uint32_t>(standin::device_count()),
              [](std::uint32_t i) { return &state().devices.at(i); });
}

struct DeviceProperties {
  Header header;
  std::uint32_t type;
};

int zeDeviceGetProperties(Handle device, DeviceProperties* properties) {
  STANDIN_ENTER("zeDeviceGetProperties");
  device_of("zeDeviceGetProperties", device);
  check_type("zeDeviceGetProperties", properties, 3);
  properties->type = 1;
  return success;
}

int zeContextCreate(Handle driver, const void* description, Handle* context) {
  STANDIN_ENTER("zeContextCreate");
  if (driver != &state().driver) give_up("zeContextCreate", "that is no driver");
  check_type("zeContextCreate", description, 0xd);
  *context = new int;
  state().contexts.insert(*context);
  return success;
}

struct AllocationDescription {
  Header header;
  std::uint32_t flags;
  std::uint32_t ordinal;
};

int zeMemAllocDevice(Handle context, const AllocationDescription* description, std::size_t size,
                     std::size_t alignment, Handle device, void** address) {
  STANDIN_ENTER("zeMemAllocDevice");
  check_context("zeMemAllocDevice", context);
  check_type("zeMemAllocDevice", description, 0x15);
  if (description->flags != 0 || description->ordinal != 0 || (alignment & (alignment - 1)) != 0)
    give_up("zeMemAllocDevice", "flags, an ordinal or an alignment that it does not know");
  *address = memory().allocate(device_of("zeMemAllocDevice", device), size);
  return *address == nullptr ? out_of_device_memory : success;
}

int zeMemFree(Handle context, void* address) {
  STANDIN_ENTER("zeMemFree");
  check_context("zeMemFree", context);
  memory().release("zeMemFree", address);
  return success;
}

struct AllocationProperties {
  Header header;
  std::uint32_t type;
  std::uint64_t id;
  std::uint64_t page_size;
};

int zeMemGetAllocProperties(Handle context, const void* address, AllocationProperties* properties,
                            Handle* device) {
  STANDIN_ENTER("zeMemGetAllocProperties");
  check_context("zeMemGetAllocProperties", context);
  check_type("zeMemGetAllocProperties", properties, 0x17);
  const standin::Block* block = memory().find(nullptr, address);
  properties->type = block == nullptr ? 0 : 2;
  if (block != nullptr && device != nullptr)
    *device = &state().devices.at(static_cast<std::size_t>(block->device));
  return success;
}

int zeMemGetAddressRange(Handle context, const void* address, void** begin, std::size_t* size) {
  STANDIN_ENTER("zeMemGetAddressRange");
  check_context("zeMemGetAddressRange", context);
  const standin::Block* block = memory().find("zeMemGetAddressRange", address);
  if (block == nullptr) give_up("zeMemGetAddressRange", "no memory of a device");
  *begin = block->shown;
  *size = block->size;
  return success;
}

struct QueueDescription {
  Header header;
  std::uint32_t group;
  std::uint32_t index;
  std::uint32_t flags;
  std::uint32_t mode;
  std::uint32_t priority;
};

int zeCommandListCreateImmediate(Handle context, Handle device, const QueueDescription* description,
                                 Handle* made) {
  STANDIN_ENTER("zeCommandListCreateImmediate");
  check_context("zeCommandListCreateImmediate", context);
  check_type("zeCommandListCreateImmediate", description, 0xe);
  if (description->mode != 1) give_up("zeCommandListCreateImmediate", "only mode 1 is known");
  *made = new List{device_of("zeCommandListCreateImmediate", device)};
  state().lists.insert(*made);
  return success;
}

int zeCommandListDestroy(Handle gone) {
  STANDIN_ENTER("zeCommandListDestroy");
  if (state().lists.erase(gone) == 0) give_up("zeCommandListDestroy", "that is no command list");
  delete static_cast<List*>(gone);
  return success;
}

// Executes at once: the list is synchronous. It knows memory of its own device and of the host.
int zeCommandListAppendMemoryCopy(Handle on, void* to, const void* from, std::size_t size,
                                  Handle signal, std::uint32_t waits, Handle* /*events*/) {
  STANDIN_ENTER("zeCommandListAppendMemoryCopy");
  constexpr auto call = "zeCommandListAppendMemoryCopy";
  if (!state().lists.contains(on)) give_up(call, "that is no command list");
  if (signal != nullptr || waits != 0) give_up(call, "events are not known");
  const standin::Block* target = memory().find(call, to);
  const standin::Block* source = memory().find(call, from);
  if (target == nullptr && source == nullptr) give_up(call, "neither side is memory of a device");
  for (const standin::Block* side : {target, source})
    if (side != nullptr && side->device != static_cast<List*>(on)->device)
      give_up(call, "memory of another device than that of the list");
  std::memmove(memory().place(call, to, size), memory().place(call, from, size), size);
  return success;
}

int zeCommandListAppendMemoryFill(Handle on, void* to, const void* pattern, std::size_t width,
                                  std::size_t size, Handle /*signal*/, std::uint32_t /*waits*/,
                                  Handle* /*events*/) {
  STANDIN_ENTER("zeCommandListAppendMemoryFill");
  constexpr auto call = "zeCommandListAppendMemoryFill";
  if (!state().lists.contains(on)) give_up(call, "that is no command list");
  if (width != 1 || memory().find(call, to) == nullptr) give_up(call, "a wrong pattern or target");
  std::memset(memory().place(call, to, size), *static_cast<const unsigned char*>(pattern), size);
  return success;
}

struct IpcHandle {
  int descriptor;
  standin::Handle rest;
  std::array<char, 64 - sizeof(standin::Handle) - 8> unused;
};
static_assert(sizeof(IpcHandle) == 64);

int zeMemGetIpcHandle(Handle context, const void* address, IpcHandle* handle) {
  STANDIN_ENTER("zeMemGetIpcHandle");
  check_context("zeMemGetIpcHandle", context);
  handle->rest = memory().share("zeMemGetIpcHandle", address);
  handle->descriptor = static_cast<int>(handle->rest.descriptor);
  return success;
}

int zeMemOpenIpcHandle(Handle context, Handle device, IpcHandle handle, std::uint32_t flags,
                       void** address) {
  STANDIN_ENTER("zeMemOpenIpcHandle");
  check_context("zeMemOpenIpcHandle", context);
  if (flags != 0) give_up("zeMemOpenIpcHandle", "flags that it does not know");
  if (static_cast<int>(handle.rest.device) != device_of("zeMemOpenIpcHandle", device))
    give_up("zeMemOpenIpcHandle", "the memory is of another device");
  *address = memory().open("zeMemOpenIpcHandle", handle.rest, handle.descriptor);
  return success;
}

int zeMemCloseIpcHandle(Handle context, const void* address) {
  STANDIN_ENTER("zeMemCloseIpcHandle");
  check_context("zeMemCloseIpcHandle", context);
  memory().close("zeMemCloseIpcHandle", address);
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
