// A libcuda.so.1 with only streams.
#include <cstdlib>
#include <utility>

#include "stream_thread.hpp"

namespace {

enum Status : int {
  success = 0,
  invalid_value = 1,
  invalid_context = 201,
  invalid_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  capture_unsupported = 900
};

// The current context of the thread, which most calls need.
thread_local void* current = nullptr;  // NOLINT(misc-use-internal-linkage)

// Contexts are represented by the device number plus 1.
void* context_of(int device) {
  return reinterpret_cast<void*>(std::intptr_t{1} + device);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA chose the names
extern "C" {

int cuInit(unsigned /*flags*/) {
  return success;
}
int cuCtxGetDevice(int* /*device*/) {
  return invalid_context;
}
int cuStreamCreate(void** stream, unsigned /*flags*/) {
  *stream = new standin::Stream;
  return success;
}
int cuStreamSynchronize(void* stream) {
  standin::find(stream)->wait();
  return success;
}
int cuStreamDestroy_v2(void* stream) {
  static_cast<standin::Stream*>(stream)->destroy();
  return success;
}
int cuStreamIsCapturing(void* stream, int* status) {
  *status = stream == standin::captured() ? 1 : 0;
  return success;
}
int cuCtxGetCurrent(void** context) {
  *context = current;
  return success;
}
int cuCtxSetCurrent(void* context) {
  current = context;
  return success;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return success;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = context_of(device);
  return success;
}
int cuStreamGetCtx(void* stream, void** context) {
  if (current == nullptr && reinterpret_cast<std::uintptr_t>(stream) <= 2) return invalid_context;
  *context = context_of(standin::find(stream)->device());
  return success;
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(*mode, standin::capture_mode());
  return success;
}
int cuEventCreate(void** event, unsigned flags) {
  if (current == nullptr) return invalid_context;
  if (flags != 2) return invalid_value;  // without times
  *event = standin::kept(new standin::Event);
  return success;
}
int cuEventRecord(void* event, void* stream) {
  const bool is_done = standin::find(stream)->record(*static_cast<standin::Event*>(event));
  return is_done ? success : invalid_handle;
}
int cuEventQuery(void* event) {
  if (!standin::may_wait()) return capture_unsupported;
  const auto& of = *static_cast<const standin::Event*>(event);
  if (of.is_lost) return illegal_address;
  return of.under_way == 0 ? success : not_ready;
}
int cuGetErrorName(int code, const char** name) {
  if (code != illegal_address) return invalid_value;
  *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
  return success;
}
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  standin::launch(stream, function, argument);
  return success;
}
int cuStreamWaitValue32_v2(void* stream, std::uint64_t address, std::uint32_t value,
                           unsigned flags) {
  if (flags != 0) return invalid_handle;
  standin::wait_for_word(stream, reinterpret_cast<const void*>(address), value);
  return success;
}
int cuMemHostAlloc(void** address, std::size_t size, unsigned /*flags*/) {
  if (current == nullptr) return invalid_context;
  if (!standin::may_wait()) return capture_unsupported;
  *address = standin::kept(std::calloc(1, size));
  return success;
}
int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* host, unsigned /*flags*/) {
  *address = reinterpret_cast<std::uint64_t>(host);
  return success;
}

// Only for tests.
void standin_lose(void* stream) {
  standin::find(stream)->lose();
}
void standin_capture(void* stream) {
  standin::captured() = stream;
}
// Whether nothing has ended the capture before.
int standin_end_capture() {
  standin::captured() = &standin::captured();
  return standin::is_spoiled().exchange(false) ? 0 : 1;
}
void standin_set_device(int device) {
  standin::current_device() = device;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
