#include "front/nvshmem/heap.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "front/nvshmem/say.hpp"
#include "shmemx.h"

namespace gondwana::nvshmem {
namespace {

enum class Place { undecided, host, device };

Place& place() {
  static Place where = Place::undecided;
  return where;
}

constexpr int no_device = -1;
// The default of NVSHMEM is 1 GiB, which would be the whole memory of an emulated device.
constexpr const char* usual_size = "512M";

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// The format is that of NVSHMEM: a number, and a unit in either case.
std::size_t heap_size(const char* call) {
  constexpr std::string_view units = "kmgt";
  std::string text(variable("NVSHMEM_SYMMETRIC_SIZE"));
  if (text.empty()) text = usual_size;
  char* rest = nullptr;
  const double number = std::strtod(text.c_str(), &rest);
  const std::size_t unit =
      *rest == '\0' ? 0 : units.find(static_cast<char>(std::tolower(*rest))) + 1;
  const double size = std::ldexp(number, static_cast<int>(10 * unit));
  if (rest == text.c_str() || (*rest != '\0' && unit == 0) || !(size >= 1) || size > 1e15)
    give_up(call, "NVSHMEM_SYMMETRIC_SIZE \"" + text + "\": expected a size such as 512M or 1G");
  // NVSHMEM also rounds a heap up to whole granules, and programs rely on the memory beyond their
  // request.
  constexpr std::size_t granule = std::size_t{2} << 20;
  return (static_cast<std::size_t>(size) / granule + 2) * granule;
}

// -1: no device
int current_cuda_device() {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* ask = library == nullptr ? nullptr : ::dlsym(library, "cuCtxGetDevice");
  int device = -1;
  return ask != nullptr && reinterpret_cast<int (*)(int*)>(ask)(&device) == 0 ? device : -1;
}

// CUDA's current device, or else the first device.
int usual_device() {
  const int current = current_cuda_device();
  return current >= 0 && current < shmemx_devices() ? current : 0;
}

// The device on which this PE would have its heap.
int chosen_device(const char* call) {
  const std::string_view kind = variable("NVSHMEM_HEAP_KIND");
  if (kind == "SYSMEM" || (kind.empty() && shmemx_devices() == 0)) return no_device;
  if (kind.empty() || kind == "DEVICE" || kind == "VIDMEM") return usual_device();
  constexpr std::string_view prefix = "DEVICE:";
  char* rest = nullptr;
  const long number =
      kind.starts_with(prefix) ? std::strtol(kind.data() + prefix.size(), &rest, 10) : -1;
  if (rest == nullptr || *rest != '\0' || number < 0 || number > 1'000'000)
    give_up(call,
            "NVSHMEM_HEAP_KIND \"" + std::string(kind) + "\": expected SYSMEM, DEVICE or DEVICE:n");
  return static_cast<int>(number);
}

// A PE's preference for its heap. The order matters: see has_all_on_devices().
enum Choice : int { host_by_variable, host_without_device, device_as_usual, device_by_variable };

Choice choice_of(int device) {
  const bool is_asked_for = !variable("NVSHMEM_HEAP_KIND").empty();
  if (device == no_device) return is_asked_for ? host_by_variable : host_without_device;
  return is_asked_for ? device_by_variable : device_as_usual;
}

// Collective. Returns a word of each PE.
std::vector<int> gather(const char* call, int own) {
  const auto pes = static_cast<std::size_t>(shmem_n_pes());
  auto* words = static_cast<int*>(shmem_malloc((pes + 1) * sizeof(int)));
  if (words == nullptr) give_up(call, "the symmetric heap of the host is full");
  words[pes] = own;
  shmem_int_fcollect(SHMEM_TEAM_WORLD, words, words + pes, 1);
  std::vector<int> gathered(words, words + pes);
  shmem_free(words);
  return gathered;
}

// Collective. Whether all PEs have their heaps on devices. Otherwise no PE has, because calls of a
// device heap are collective. Ends the job if one PE requires a device heap and another cannot have
// one.
bool has_all_on_devices(const char* call, Choice own) {
  const std::vector<int> choices = gather(call, own);
  const auto [least, most] = std::ranges::minmax_element(choices);
  if (*least >= device_as_usual) return true;
  if (*most < device_by_variable) return false;
  const auto host = least - choices.begin();
  if (shmem_my_pe() == host)
    give_up(call, "NVSHMEM_HEAP_KIND puts the heap of PE " +
                      std::to_string(most - choices.begin()) + " on a device, but PE " +
                      std::to_string(host) +
                      (*least == host_by_variable ? " uses SYSMEM" : " has no device") +
                      "; give all PEs devices and the same kind, or SYSMEM");
  shmem_barrier_all();  // until the other PE ends the job
  return false;
}

// Collective. Whether the heap is on a device. The first call decides.
bool is_on_device(const char* call) {
  if (place() != Place::undecided) return place() == Place::device;
  int device = chosen_device(call);
  if (!has_all_on_devices(call, choice_of(device))) device = no_device;
  if (device != no_device && shmemx_device_heap_create(device, heap_size(call)) != 0)
    give_up(call,
            "cannot create the heap on devices; NVSHMEM_SYMMETRIC_SIZE sets its size, "
            "NVSHMEM_HEAP_KIND=SYSMEM keeps it on the host");
  place() = device == no_device ? Place::host : Place::device;
  return device != no_device;
}

void clear(void* block, std::size_t size) {
  const std::vector<std::byte> zeros(std::min(size, std::size_t{1} << 20));
  for (std::size_t at = 0; at < size; at += zeros.size())
    shmemx_device_memcpy(static_cast<std::byte*>(block) + at, zeros.data(),
                         std::min(zeros.size(), size - at));
  shmem_barrier_all();  // before a peer writes to the block
}

}  // namespace

void* heap_malloc(std::size_t size) {
  return is_on_device("nvshmem_malloc") ? shmemx_device_heap_malloc(size) : shmem_malloc(size);
}

void* heap_calloc(std::size_t count, std::size_t size) {
  if (!is_on_device("nvshmem_calloc")) return shmem_calloc(count, size);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* block = shmemx_device_heap_malloc(bytes);
  if (block != nullptr) clear(block, bytes);
  return block;
}

void* heap_align(std::size_t alignment, std::size_t size) {
  return is_on_device("nvshmem_align") ? shmemx_device_heap_align(alignment, size)
                                       : shmem_align(alignment, size);
}

void heap_free(void* block) {
  if (place() == Place::device) return shmemx_device_heap_free(block);
  shmem_free(block);
}

void* heap_ptr(const void* address, int pe) {
  if (pe == shmem_my_pe() && shmemx_device_of(address) >= 0) return const_cast<void*>(address);
  return shmem_ptr(address, pe);
}

bool has_heap() {
  return place() != Place::undecided;
}

void end_heap() {
  if (place() == Place::device) shmemx_device_heap_destroy();
  place() = Place::undecided;
}

void* register_symmetric(void* address, std::size_t size, int /*flags*/) {
  return shmemx_buffer_register(address, size) == 0 ? address : nullptr;
}

int unregister_symmetric(void* address, std::size_t /*size*/) {
  return shmemx_buffer_unregister(address) == 0 ? 0 : NVSHMEMX_ERROR_INVALID_VALUE;
}

}  // namespace gondwana::nvshmem
