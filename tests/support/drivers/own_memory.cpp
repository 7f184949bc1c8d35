// own_memory first|late|named: a program allocates CUDA memory itself and puts from it. It creates
// a context before shmem_init (first), before shmem_malloc (late), or after both, with
// GONDWANA_KINDS naming cuda (named).
#include <dlfcn.h>
#include <shmem.h>

#include <cstdio>
#include <string_view>

namespace {

constexpr std::size_t bytes = 40'000;

void* library = nullptr;
int device = 0;
void* context = nullptr;
void* stream = nullptr;
char* memory = nullptr;

using Call = int (*)(...);
Call find(const char* name) {
  return reinterpret_cast<Call>(::dlsym(library, name));
}

int load() {
  library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return library == nullptr ? 1 : 0;
}

int begin() {
  int failures = find("cuInit")(0U);
  failures += find("cuDeviceGet")(&device, 0);
  failures += find("cuDevicePrimaryCtxRetain")(&context, device);
  failures += find("cuCtxPushCurrent_v2")(context);
  failures += find("cuStreamCreate")(&stream, 1U);
  return failures;
}

int fill() {
  int failures = find("cuMemAlloc_v2")(&memory, bytes);
  failures += find("cuMemsetD8Async")(memory, 7 + shmem_my_pe(), bytes, stream);
  failures += find("cuStreamSynchronize")(stream);
  return failures;
}

int end() {
  int failures = find("cuMemFree_v2")(memory);
  failures += find("cuStreamDestroy_v2")(stream);
  failures += find("cuCtxPopCurrent_v2")(&context);
  failures += find("cuDevicePrimaryCtxRelease_v2")(device);
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view when = argc > 1 ? argv[1] : "";
  const bool is_first = when == "first";
  const bool is_named = when == "named";
  int failures = is_named ? 0 : load();
  if (is_first) failures += begin();
  shmem_init();
  if (!is_first && !is_named) failures += begin();
  auto* dest = static_cast<char*>(shmem_malloc(bytes));
  if (is_named) {
    failures += load();
    failures += begin();
  }
  failures += fill();
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();
  shmem_putmem(dest, memory, bytes, (me + 1) % pes);
  shmem_barrier_all();
  for (std::size_t i = 0; i < bytes; ++i) failures += dest[i] == 7 + (me + pes - 1) % pes ? 0 : 1;
  failures += end();
  shmem_finalize();
  if (failures > 0) std::fprintf(stderr, "%d failures\n", failures);
  return failures > 0 ? 1 : 0;
}
