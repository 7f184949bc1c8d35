// A libamdhip64.so.6 with only streams. It is strict: streams may wait only for signals.
#include <cstdlib>
#include <set>

#include "stream_thread.hpp"

namespace {

enum Status : int {
  success = 0,
  invalid_value = 1,
  invalid_handle = 400,
  not_ready = 600,
  illegal_address = 700
};

std::set<void*>& signals() {
  static auto& all = *new std::set<void*>;
  return all;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): HIP chose the names
extern "C" {

int hipInit(unsigned flags) {
  return flags == 0 ? success : invalid_value;
}
int hipGetDevice(int* device) {
  *device = standin::current_device();
  return success;
}
int hipSetDevice(int device) {
  standin::current_device() = device;
  return success;
}
int hipStreamGetDevice(void* stream, int* device) {
  *device = standin::find(stream)->device();
  return success;
}
int hipStreamCreateWithFlags(void** stream, unsigned /*flags*/) {
  *stream = new standin::Stream;
  return success;
}
int hipStreamSynchronize(void* stream) {
  standin::find(stream)->wait();
  return success;
}
int hipStreamDestroy(void* stream) {
  static_cast<standin::Stream*>(stream)->destroy();
  return success;
}
int hipStreamIsCapturing(void* /*stream*/, int* status) {
  *status = 0;
  return success;
}
int hipEventCreateWithFlags(void** event, unsigned flags) {
  if (flags != 2) return invalid_value;  // without times
  *event = standin::kept(new standin::Event);
  return success;
}
int hipEventRecord(void* event, void* stream) {
  const bool is_done = standin::find(stream)->record(*static_cast<standin::Event*>(event));
  return is_done ? success : invalid_handle;
}
int hipEventQuery(void* event) {
  const auto& of = *static_cast<const standin::Event*>(event);
  if (of.is_lost) return illegal_address;
  return of.under_way == 0 ? success : not_ready;
}
const char* hipGetErrorName(int status) {
  return status == invalid_value ? "hipErrorInvalidValue" : "hipErrorUnknown";
}
int hipLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  standin::launch(stream, function, argument);
  return success;
}
int hipExtMallocWithFlags(void** address, std::size_t size, unsigned flags) {
  if (flags != 2 || size != 8) return invalid_value;
  *address = std::malloc(size);
  const std::scoped_lock lock(standin::table_mutex());
  signals().insert(*address);
  return success;
}
int hipStreamWaitValue32(void* stream, void* address, std::uint32_t value, unsigned flags,
                         std::uint32_t mask) {
  {
    const std::scoped_lock lock(standin::table_mutex());
    if (flags != 0 || mask != ~0U || !signals().contains(address)) return invalid_value;
  }
  standin::wait_for_word(stream, address, value);
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
