// A replacement of libcuda.so.1: the calls that Gondwana and programs use, with the driver's
// signatures.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "support/drivers/cuda_virtual.hpp"
#include "support/drivers/streams.hpp"

namespace {

using standin::give_up;
using standin::injected;
using standin::lock;
using standin::memory;
using standin::streams;
using Address = unsigned long long;

enum Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  no_device = 100,
  invalid_device = 101,
  invalid_context = 201,
  not_ready = 600,
  illegal_address = 700,
  already_pinned = 712
};

struct Context {
  int retained = 0;
};

struct State {
  bool has_begun = false;
  bool has_ended = false;
  std::array<Context, 16> contexts;
  unsigned questions = 0;  // queries about addresses
};

State& state() {
  static auto& one = *new State;
  return one;
}

// The contexts that this thread has pushed, by device. Static objects use it after the thread's
// end.
struct Stack {
  std::array<int, 64> devices;
  std::size_t size;

  ~Stack() {
    if (size > 0 && !standin::has_client())
      give_up("end of a thread", "contexts that it has pushed were not popped");
  }
  int top() const { return devices.at(size - 1); }
};
thread_local Stack stack;  // NOLINT(misc-use-internal-linkage)

void* pointer(Address address) {
  return reinterpret_cast<void*>(address);
}

// Called first by every call: a status other than success ends the call.
int enter(const char* call) {
  if (state().has_ended) return deinitialized;
  if (!state().has_begun) return not_initialized;
  return injected(call);
}

// Device handles start at this number: they are not ordinals, but programs mistake them for
// ordinals.
int first_handle() {
  return standin::has_client() ? 0 : 100;
}

Context& primary_context(const char* call, int device) {
  const int ordinal = device - first_handle();
  if (ordinal < 0 || ordinal >= standin::device_count()) give_up(call, "that is no device");
  return state().contexts.at(static_cast<std::size_t>(ordinal));
}

int ordinal_of(const char* call, const void* context) {
  for (std::size_t i = 0; i < state().contexts.size(); ++i) {
    if (context != &state().contexts.at(i)) continue;
    if (state().contexts.at(i).retained == 0) give_up(call, "the context was released");
    return static_cast<int>(i);
  }
  give_up(call, "that is no context");
}

void* context_of_thread() {
  if (stack.size == 0) return nullptr;
  return &state().contexts.at(static_cast<std::size_t>(stack.top()));
}

int device_of_thread(const char* call) {
  if (stack.size == 0) give_up(call, "no context is current in this thread");
  const int device = stack.top();
  if (state().contexts.at(static_cast<std::size_t>(device)).retained == 0)
    give_up(call, "the current context was released");
  return device;
}

void check_stream(const char* call, void* stream) {
  if (streams().stream(call, stream)->device != device_of_thread(call))
    give_up(call, "the stream is of another context");
}

// Runs after all handlers of exit().
[[gnu::destructor]] void look_for_leaks() {
  if (!standin::has_variable("STANDIN_LEAKS", "abort")) return;
  if (memory().left() + standin::virtual_memory_left() > 0)
    give_up("exit", "memory was not freed, or a handle not closed");
  if (streams().left() > 0) give_up("exit", "streams or events were not destroyed");
  for (const Context& each : state().contexts)
    if (each.retained > 0) give_up("exit", "a primary context was not released");
}

int copy_at_once(const char* call, void* to, const void* from, std::size_t size) {
  device_of_thread(call);
  std::memmove(memory().place(call, to, size), memory().place(call, from, size), size);
  return success;
}

constexpr unsigned handle_flags = 1;

// Whether the memory can be shared through IPC: only memory of cuMemAlloc() with a context.
bool has_handle(const standin::Block& block) {
  return !block.is_of_pool && block.range == nullptr;
}

}  // namespace

#define STANDIN_ENTER(call)            \
  const std::scoped_lock held(lock()); \
  if (const int status = enter(call); status != success) return status
// For calls that may wait, which captures of other threads forbid.
#define STANDIN_ENTER_TO_WAIT(call) \
  STANDIN_ENTER(call);              \
  if (const int status = standin::capture().check(); status != success) return status

// NOLINTBEGIN(readability-identifier-naming): names of CUDA
extern "C" {

int cuInit(unsigned flags) {
  const std::scoped_lock held(lock());
  if (flags != 0) give_up("cuInit", "flags must be 0");
  if (const int status = injected("cuInit"); status != success) return status;
  if (standin::device_count() == 0) return no_device;
  if (!state().has_begun && standin::has_variable("STANDIN_ENDS", "early"))
    std::atexit([] { state().has_ended = true; });
  state().has_begun = true;
  return success;
}

int cuDeviceGetCount(int* count) {
  STANDIN_ENTER("cuDeviceGetCount");
  *count = standin::device_count();
  return success;
}

int cuDeviceGet(int* device, int ordinal) {
  STANDIN_ENTER("cuDeviceGet");
  if (ordinal < 0 || ordinal >= standin::device_count()) return invalid_device;
  *device = first_handle() + ordinal;
  return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  STANDIN_ENTER("cuDeviceGetAttribute");
  primary_context("cuDeviceGetAttribute", device);
  *value = attribute == 41 ? 1 : 0;
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  STANDIN_ENTER("cuDevicePrimaryCtxRetain");
  Context& primary = primary_context("cuDevicePrimaryCtxRetain", device);
  ++primary.retained;
  *context = &primary;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  STANDIN_ENTER("cuDevicePrimaryCtxRelease_v2");
  Context& primary = primary_context("cuDevicePrimaryCtxRelease_v2", device);
  if (--primary.retained < 0) give_up("cuDevicePrimaryCtxRelease_v2", "it was not retained");
  return success;
}

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active) {
  STANDIN_ENTER("cuDevicePrimaryCtxGetState");
  if (device < 100) give_up("cuDevicePrimaryCtxGetState", "that is no device");
  *flags = 0;
  *is_active = state().contexts.at(static_cast<std::size_t>(device - 100)).retained > 0 ? 1 : 0;
  return success;
}

int cuCtxPushCurrent_v2(void* context) {
  STANDIN_ENTER("cuCtxPushCurrent_v2");
  stack.devices.at(stack.size++) = ordinal_of("cuCtxPushCurrent_v2", context);
  return success;
}

int cuCtxPopCurrent_v2(void** context) {
  STANDIN_ENTER("cuCtxPopCurrent_v2");
  if (stack.size == 0) give_up("cuCtxPopCurrent_v2", "nothing was pushed in this thread");
  *context = context_of_thread();
  --stack.size;
  return success;
}

int cuCtxGetCurrent(void** context) {
  STANDIN_ENTER("cuCtxGetCurrent");
  *context = context_of_thread();
  return success;
}

// Replaces the current context; null: none.
int cuCtxSetCurrent(void* context) {
  STANDIN_ENTER("cuCtxSetCurrent");
  if (stack.size > 0) --stack.size;
  if (context != nullptr) stack.devices.at(stack.size++) = ordinal_of("cuCtxSetCurrent", context);
  return success;
}

int cuCtxGetDevice(int* device) {
  STANDIN_ENTER("cuCtxGetDevice");
  if (stack.size == 0) return invalid_context;
  *device = first_handle() + stack.top();
  return success;
}

int cuMemAlloc_v2(Address* address, std::size_t size) {
  STANDIN_ENTER_TO_WAIT("cuMemAlloc_v2");
  if (size == 0) return invalid_value;
  const std::byte* found = memory().allocate(device_of_thread("cuMemAlloc_v2"), size);
  if (found == nullptr) return out_of_memory;
  *address = reinterpret_cast<Address>(found);
  return success;
}

int cuMemAllocAsync(Address* address, std::size_t size, void* stream) {
  const int status = cuMemAlloc_v2(address, size);
  if (stream != nullptr) give_up("cuMemAllocAsync", "only stream 0 is known");
  if (status == success) memory().block("cuMemAllocAsync", pointer(*address)).is_of_pool = true;
  return status;
}

int cuMemFree_v2(Address address) {
  STANDIN_ENTER_TO_WAIT("cuMemFree_v2");
  device_of_thread("cuMemFree_v2");
  memory().release("cuMemFree_v2", pointer(address));
  return success;
}

int cuMemHostRegister_v2(void* address, std::size_t size, unsigned flags) {
  STANDIN_ENTER_TO_WAIT("cuMemHostRegister_v2");
  device_of_thread("cuMemHostRegister_v2");
  if (flags != 1) give_up("cuMemHostRegister_v2", "it is not for all contexts");
  return memory().pin("cuMemHostRegister_v2", address, size) ? success : already_pinned;
}

int cuMemHostUnregister(void* address) {
  STANDIN_ENTER_TO_WAIT("cuMemHostUnregister");
  memory().unpin("cuMemHostUnregister", address);
  return success;
}

int cuMemsetD8Async(Address to, unsigned char value, std::size_t size, void* stream) {
  STANDIN_ENTER("cuMemsetD8Async");
  check_stream("cuMemsetD8Async", stream);
  streams().begin("cuMemsetD8Async", stream,
                  {"cuMemsetD8Async", pointer(to), nullptr, size, value});
  return success;
}

int cuMemcpyAsync(Address to, Address from, std::size_t size, void* stream) {
  STANDIN_ENTER("cuMemcpyAsync");
  check_stream("cuMemcpyAsync", stream);
  streams().begin("cuMemcpyAsync", stream, {"cuMemcpyAsync", pointer(to), pointer(from), size, 0});
  return success;
}

int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t size, void* stream) {
  return cuMemcpyAsync(to, reinterpret_cast<Address>(from), size, stream);
}

int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t size, void* stream) {
  return cuMemcpyAsync(reinterpret_cast<Address>(to), from, size, stream);
}

int cuMemcpyPeerAsync(Address to, void* to_context, Address from, void* from_context,
                      std::size_t size, void* stream) {
  {
    STANDIN_ENTER("cuMemcpyPeerAsync");
    ordinal_of("cuMemcpyPeerAsync", to_context);
    ordinal_of("cuMemcpyPeerAsync", from_context);
  }
  return cuMemcpyAsync(to, from, size, stream);
}

int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t size) {
  STANDIN_ENTER("cuMemcpyHtoD_v2");
  return copy_at_once("cuMemcpyHtoD_v2", pointer(to), from, size);
}

int cuMemcpyDtoH_v2(void* to, Address from, std::size_t size) {
  STANDIN_ENTER("cuMemcpyDtoH_v2");
  return copy_at_once("cuMemcpyDtoH_v2", to, pointer(from), size);
}

int cuStreamCreate(void** stream, unsigned flags) {
  STANDIN_ENTER("cuStreamCreate");
  if (flags != 1) give_up("cuStreamCreate", "a stream that waits for the program's");
  *stream = streams().make_stream(device_of_thread("cuStreamCreate"));
  return success;
}

int cuStreamSynchronize(void* stream) {
  STANDIN_ENTER_TO_WAIT("cuStreamSynchronize");
  check_stream("cuStreamSynchronize", stream);
  streams().wait_for_stream("cuStreamSynchronize", stream);
  return success;
}

int cuStreamDestroy_v2(void* stream) {
  STANDIN_ENTER("cuStreamDestroy_v2");
  if (!standin::has_client()) check_stream("cuStreamDestroy_v2", stream);
  streams().destroy_stream("cuStreamDestroy_v2", stream);
  return success;
}

int cuThreadExchangeStreamCaptureMode(int* mode) {
  STANDIN_ENTER("cuThreadExchangeStreamCaptureMode");
  *mode = standin::Capture::exchange_mode(*mode);
  return success;
}

int cuEventCreate(void** event, unsigned flags) {
  STANDIN_ENTER("cuEventCreate");
  if ((flags & 2) == 0) give_up("cuEventCreate", "an event with times, which nobody reads");
  device_of_thread("cuEventCreate");
  *event = streams().make_event();
  return success;
}

int cuEventRecord(void* event, void* stream) {
  STANDIN_ENTER("cuEventRecord");
  check_stream("cuEventRecord", stream);
  streams().record("cuEventRecord", event, stream);
  return success;
}

int cuEventQuery(void* event) {
  STANDIN_ENTER_TO_WAIT("cuEventQuery");
  if (!standin::has_client()) device_of_thread("cuEventQuery");
  return streams().has_passed("cuEventQuery", event) ? success : not_ready;
}

int cuEventSynchronize(void* event) {
  STANDIN_ENTER_TO_WAIT("cuEventSynchronize");
  device_of_thread("cuEventSynchronize");
  streams().wait_for_event("cuEventSynchronize", event);
  return success;
}

int cuEventDestroy_v2(void* event) {
  STANDIN_ENTER("cuEventDestroy_v2");
  if (!standin::has_client()) device_of_thread("cuEventDestroy_v2");
  streams().destroy_event("cuEventDestroy_v2", event);
  return success;
}

struct IpcHandle {
  std::array<char, 64> bytes;
};

int cuIpcGetMemHandle(IpcHandle* handle, Address address) {
  STANDIN_ENTER("cuIpcGetMemHandle");
  const standin::Block* block = memory().find("cuIpcGetMemHandle", pointer(address));
  if (block != nullptr && !has_handle(*block)) return invalid_value;
  if (block != nullptr && !block->is_synchronous)
    give_up("cuIpcGetMemHandle", "copies of the program to the memory are not synchronous");
  const standin::Handle made = memory().share("cuIpcGetMemHandle", pointer(address));
  std::memcpy(handle, &made, sizeof(made));
  return success;
}

int cuIpcOpenMemHandle_v2(Address* address, IpcHandle handle, unsigned flags) {
  STANDIN_ENTER("cuIpcOpenMemHandle_v2");
  if (flags != handle_flags) give_up("cuIpcOpenMemHandle_v2", "wrong flags");
  standin::Handle made{};
  std::memcpy(&made, &handle, sizeof(made));
  if (static_cast<int>(made.device) != device_of_thread("cuIpcOpenMemHandle_v2"))
    give_up("cuIpcOpenMemHandle_v2", "the memory is of another device than the context");
  *address = reinterpret_cast<Address>(memory().open("cuIpcOpenMemHandle_v2", made));
  return success;
}

int cuIpcCloseMemHandle(Address address) {
  STANDIN_ENTER("cuIpcCloseMemHandle");
  device_of_thread("cuIpcCloseMemHandle");
  memory().close("cuIpcCloseMemHandle", pointer(address));
  return success;
}

int cuPointerSetAttribute(const void* value, int attribute, Address address) {
  STANDIN_ENTER("cuPointerSetAttribute");
  if (attribute != 6) give_up("cuPointerSetAttribute", "an attribute that it does not know");
  standin::Block& block = memory().block("cuPointerSetAttribute", pointer(address));
  if (!has_handle(block)) return invalid_value;  // it has no context
  block.is_synchronous = *static_cast<const unsigned*>(value) == 1;
  return success;
}

// Not a CUDA call.
unsigned standinQuestions() {
  return state().questions;
}

// Unknown addresses are reported with zeros.
int cuPointerGetAttributes(unsigned count, const int* attributes, void** values, Address address) {
  STANDIN_ENTER("cuPointerGetAttributes");
  ++state().questions;
  const standin::Block* block = memory().find(nullptr, pointer(address));
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
      case 1:
        *static_cast<void**>(values[i]) =
            block != nullptr && has_handle(*block) ? &state().contexts : nullptr;
        break;
      case 2:
        *static_cast<unsigned*>(values[i]) = block != nullptr                       ? 2
                                             : memory().is_pinned(pointer(address)) ? 1
                                                                                    : 0;
        break;
      case 8:
        *static_cast<unsigned*>(values[i]) = 0;
        break;
      case 9:
        *static_cast<int*>(values[i]) = block == nullptr ? -2 : block->device;
        break;
      case 10:
        *static_cast<int*>(values[i]) = block != nullptr && has_handle(*block) ? 1 : 0;
        break;
      case 11:
        *static_cast<void**>(values[i]) = block == nullptr          ? nullptr
                                          : block->range != nullptr ? block->range
                                                                    : block->shown;
        break;
      case 12:
        *static_cast<std::size_t*>(values[i]) = block == nullptr          ? 0
                                                : block->range != nullptr ? block->range_size
                                                                          : block->size;
        break;
      case 14:
        *static_cast<int*>(values[i]) = block == nullptr ? 0 : block->types;
        break;
      case 17:
        *static_cast<std::uintptr_t*>(values[i]) = block != nullptr && block->is_of_pool ? 1 : 0;
        break;
      default:
        give_up("cuPointerGetAttributes", "an attribute that it does not know");
    }
  }
  return success;
}

// The only attribute that programs request is the context, 1.
int cuPointerGetAttribute(void* value, int attribute, Address address) {
  STANDIN_ENTER("cuPointerGetAttribute");
  const standin::Block* block = memory().find(nullptr, pointer(address));
  if (block == nullptr) return invalid_value;
  if (attribute != 1) give_up("cuPointerGetAttribute", "an attribute that it does not know");
  *static_cast<void**>(value) = &state().contexts.at(static_cast<std::size_t>(block->device));
  return success;
}

int cuGetErrorName(int status, const char** name) {
  static constexpr std::array names{std::pair{invalid_value, "CUDA_ERROR_INVALID_VALUE"},
                                    std::pair{out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                    std::pair{no_device, "CUDA_ERROR_NO_DEVICE"},
                                    std::pair{invalid_device, "CUDA_ERROR_INVALID_DEVICE"},
                                    std::pair{invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
                                    std::pair{illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  for (const auto& [known, text] : names) {
    if (known != status) continue;
    *name = text;
    return success;
  }
  return invalid_value;
}

int cuGetErrorString(int status, const char** words) {
  return cuGetErrorName(status, words);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
