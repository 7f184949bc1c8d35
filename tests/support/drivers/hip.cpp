// A replacement of libamdhip64.so: the calls that Gondwana and programs use, with HIP's signatures.
// STANDIN_HIP=5 makes it an old version.
#include <array>
#include <cstdlib>
#include <cstring>

#include "support/drivers/streams.hpp"

namespace {

using standin::give_up;
using standin::injected;
using standin::lock;
using standin::memory;
using standin::streams;

enum Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  no_device = 100,
  invalid_device = 101,
  not_ready = 600,
  already_pinned = 712
};

thread_local int current = 0;     // device
thread_local int last_error = 0;  // until hipGetLastError()

int fail(int status) {
  last_error = status;
  return status;
}

bool is_old() {
  return standin::has_variable("STANDIN_HIP", "5");
}

void check_stream(const char* call, void* stream) {
  if (streams().stream(call, stream)->device != current)
    give_up(call, "the stream is of another device than the current one");
}

int copy_at_once(const char* call, void* to, const void* from, std::size_t size) {
  std::memmove(memory().place(call, to, size), memory().place(call, from, size), size);
  return success;
}

[[gnu::destructor]] void look_for_leaks() {
  if (!standin::has_variable("STANDIN_LEAKS", "abort")) return;
  if (memory().left() > 0) give_up("exit", "memory was not freed, or a handle not closed");
  if (streams().left() > 0) give_up("exit", "streams or events were not destroyed");
}

}  // namespace

#define STANDIN_ENTER(call)            \
  const std::scoped_lock held(lock()); \
  if (const int status = injected(call); status != success) return fail(status)
// For calls that may wait, which captures of other threads forbid.
#define STANDIN_ENTER_TO_WAIT(call) \
  STANDIN_ENTER(call);              \
  if (const int status = standin::capture().check(); status != success) return fail(status)

// NOLINTBEGIN(readability-identifier-naming): names of HIP
extern "C" {

int hipInit(unsigned flags) {
  STANDIN_ENTER("hipInit");
  if (flags != 0) give_up("hipInit", "flags must be 0");
  return standin::device_count() == 0 ? fail(no_device) : success;
}

int hipRuntimeGetVersion(int* version) {
  *version = is_old() ? 50'221'153 : 60'443'483;
  return success;
}

int hipGetDeviceCount(int* count) {
  STANDIN_ENTER("hipGetDeviceCount");
  *count = standin::device_count();
  return success;
}

int hipGetDevice(int* device) {
  *device = current;
  return success;
}

int hipSetDevice(int device) {
  STANDIN_ENTER("hipSetDevice");
  if (device < 0 || device >= standin::device_count()) return fail(invalid_device);
  current = device;
  return success;
}

int hipDeviceGet(int* device, int ordinal) {
  STANDIN_ENTER("hipDeviceGet");
  if (ordinal < 0 || ordinal >= standin::device_count()) return fail(invalid_device);
  *device = ordinal;
  return success;
}

int hipDevicePrimaryCtxRetain(void** context, int device) {
  STANDIN_ENTER("hipDevicePrimaryCtxRetain");
  if (device < 0 || device >= standin::device_count()) return fail(invalid_device);
  static std::array<char, 16> contexts;
  *context = &contexts.at(static_cast<std::size_t>(device));
  return success;
}

int hipDevicePrimaryCtxRelease(int device) {
  STANDIN_ENTER("hipDevicePrimaryCtxRelease");
  return device < 0 || device >= standin::device_count() ? fail(invalid_device) : success;
}

const char* hipGetErrorName(int status) {
  switch (status) {
    case success:
      return "hipSuccess";
    case invalid_value:
      return "hipErrorInvalidValue";
    case out_of_memory:
      return "hipErrorOutOfMemory";
    case no_device:
      return "hipErrorNoDevice";
    case invalid_device:
      return "hipErrorInvalidDevice";
    default:
      return "hipErrorUnknown";
  }
}

int hipGetLastError() {
  const int status = last_error;
  last_error = success;
  return status;
}

int hipMalloc(void** address, std::size_t size) {
  STANDIN_ENTER_TO_WAIT("hipMalloc");
  *address = memory().allocate(current, size);
  return *address == nullptr ? fail(out_of_memory) : success;
}

int hipFree(void* address) {
  STANDIN_ENTER_TO_WAIT("hipFree");
  memory().release("hipFree", address);
  return success;
}

int hipHostRegister(void* address, std::size_t size, unsigned flags) {
  STANDIN_ENTER_TO_WAIT("hipHostRegister");
  if (flags != 1) give_up("hipHostRegister", "it is not for all contexts");
  return memory().pin("hipHostRegister", address, size) ? success : fail(already_pinned);
}

int hipHostUnregister(void* address) {
  STANDIN_ENTER_TO_WAIT("hipHostUnregister");
  memory().unpin("hipHostUnregister", address);
  return success;
}

int hipMemsetD8Async(void* to, unsigned char value, std::size_t size, void* stream) {
  STANDIN_ENTER("hipMemsetD8Async");
  check_stream("hipMemsetD8Async", stream);
  streams().begin("hipMemsetD8Async", stream, {"hipMemsetD8Async", to, nullptr, size, value});
  return success;
}

int hipMemcpyAsync(void* to, const void* from, std::size_t size, int direction, void* stream) {
  STANDIN_ENTER("hipMemcpyAsync");
  if (direction != 4) give_up("hipMemcpyAsync", "the direction is not hipMemcpyDefault");
  check_stream("hipMemcpyAsync", stream);
  streams().begin("hipMemcpyAsync", stream, {"hipMemcpyAsync", to, from, size, 0});
  return success;
}

int hipMemcpyHtoD(void* to, void* from, std::size_t size) {
  STANDIN_ENTER("hipMemcpyHtoD");
  return copy_at_once("hipMemcpyHtoD", to, from, size);
}

int hipMemcpyDtoH(void* to, void* from, std::size_t size) {
  STANDIN_ENTER("hipMemcpyDtoH");
  return copy_at_once("hipMemcpyDtoH", to, from, size);
}

int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  STANDIN_ENTER("hipStreamCreateWithFlags");
  if (flags != 1) give_up("hipStreamCreateWithFlags", "a stream that waits for the program's");
  *stream = streams().make_stream(current);
  return success;
}

int hipStreamSynchronize(void* stream) {
  STANDIN_ENTER_TO_WAIT("hipStreamSynchronize");
  streams().wait_for_stream("hipStreamSynchronize", stream);
  return success;
}

int hipStreamDestroy(void* stream) {
  STANDIN_ENTER("hipStreamDestroy");
  streams().destroy_stream("hipStreamDestroy", stream);
  return success;
}

int hipThreadExchangeStreamCaptureMode(int* mode) {
  STANDIN_ENTER("hipThreadExchangeStreamCaptureMode");
  *mode = standin::Capture::exchange_mode(*mode);
  return success;
}

int hipEventCreateWithFlags(void** event, unsigned flags) {
  STANDIN_ENTER("hipEventCreateWithFlags");
  if ((flags & 2) == 0) give_up("hipEventCreateWithFlags", "an event with times");
  *event = streams().make_event();
  return success;
}

int hipEventRecord(void* event, void* stream) {
  STANDIN_ENTER("hipEventRecord");
  check_stream("hipEventRecord", stream);
  streams().record("hipEventRecord", event, stream);
  return success;
}

int hipEventQuery(void* event) {
  STANDIN_ENTER_TO_WAIT("hipEventQuery");
  return streams().has_passed("hipEventQuery", event) ? success : not_ready;
}

int hipEventSynchronize(void* event) {
  STANDIN_ENTER_TO_WAIT("hipEventSynchronize");
  streams().wait_for_event("hipEventSynchronize", event);
  return success;
}

int hipEventDestroy(void* event) {
  STANDIN_ENTER("hipEventDestroy");
  streams().destroy_event("hipEventDestroy", event);
  return success;
}

struct IpcHandle {
  std::array<char, 64> bytes;
};

int hipIpcGetMemHandle(IpcHandle* handle, void* address) {
  STANDIN_ENTER("hipIpcGetMemHandle");
  const standin::Handle made = memory().share("hipIpcGetMemHandle", address);
  std::memcpy(handle, &made, sizeof(made));
  return success;
}

int hipIpcOpenMemHandle(void** address, IpcHandle handle, unsigned flags) {
  STANDIN_ENTER("hipIpcOpenMemHandle");
  if (flags != (is_old() ? 0U : 1U)) return fail(invalid_value);
  standin::Handle made{};
  std::memcpy(&made, &handle, sizeof(made));
  *address = memory().open("hipIpcOpenMemHandle", made);
  return success;
}

int hipIpcCloseMemHandle(void* address) {
  STANDIN_ENTER("hipIpcCloseMemHandle");
  memory().close("hipIpcCloseMemHandle", address);
  return success;
}

struct PointerAttributes {
  int type;
  int device;
  void* on_device;
  void* on_host;
  int is_managed;
  unsigned flags;
};

// An old version reports unknown addresses as errors.
int hipPointerGetAttributes(PointerAttributes* attributes, const void* address) {
  STANDIN_ENTER("hipPointerGetAttributes");
  const standin::Block* block = memory().find(nullptr, address);
  *attributes = {};
  const bool is_pinned = block == nullptr && memory().is_pinned(address);
  if (is_pinned && !is_old()) attributes->type = 1;
  if (block == nullptr) return is_old() && !is_pinned ? fail(invalid_value) : success;
  *attributes = {is_old() ? 1 : 2, block->device, const_cast<void*>(address), nullptr, 0, 0};
  return success;
}

int hipMemGetAddressRange(void** begin, std::size_t* size, const void* address) {
  STANDIN_ENTER("hipMemGetAddressRange");
  const standin::Block* block = memory().find("hipMemGetAddressRange", address);
  if (block == nullptr) return fail(invalid_value);
  *begin = block->shown;
  *size = block->size;
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
