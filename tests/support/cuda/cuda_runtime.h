// The part of CUDA's runtime that host-side NVSHMEM programs call, over emulated devices, or over
// host memory if there are none. Streams have no work, so all of them are stream 0.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <time.h>

// NOLINTBEGIN(readability-identifier-naming): CUDA chose the names
#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUstream_st* cudaStream_t;
typedef struct {
  struct timespec at;
}* cudaEvent_t;
typedef enum {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNoDevice = 100
} cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaHostAllocDefault = 0 };
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75 };
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int multiProcessorCount;
  int major;
  int minor;
};

// The devices of the runtime under the program.
int shmemx_devices(void);
void* shmemx_device_malloc(int device, size_t bytes);
void shmemx_device_free(void* addr);
int shmemx_device_memcpy(void* dest, const void* source, size_t bytes);

static int cuda_current_device;

static inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = shmemx_devices();
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
static inline cudaError_t cudaSetDevice(int device) {
  cuda_current_device = device;
  return cudaSuccess;
}
static inline cudaError_t cudaGetDevice(int* device) {
  *device = cuda_current_device;
  return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device) {
  (void)device;
  memset(properties, 0, sizeof(*properties));
  strcpy(properties->name, "emulated");
  properties->multiProcessorCount = 1;
  return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute,
                                                 int device) {
  (void)attribute;
  (void)device;
  *value = 0;
  return cudaSuccess;
}
static inline cudaError_t cudaMalloc(void** address, size_t size) {
  *address = shmemx_devices() > 0 ? shmemx_device_malloc(0, size) : malloc(size);
  return *address != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaFree(void* address) {
  if (shmemx_devices() > 0)
    shmemx_device_free(address);
  else
    free(address);
  return cudaSuccess;
}
static inline cudaError_t cudaHostAlloc(void** address, size_t size, unsigned flags) {
  (void)flags;
  *address = malloc(size);
  return *address != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaMallocHost(void** address, size_t size) {
  return cudaHostAlloc(address, size, 0);
}
static inline cudaError_t cudaFreeHost(void* address) {
  free(address);
  return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void* dest, const void* source, size_t size,
                                     enum cudaMemcpyKind kind) {
  (void)kind;
  return shmemx_device_memcpy(dest, source, size) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaMemcpyAsync(void* dest, const void* source, size_t size,
                                          enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy(dest, source, size, kind);
}
static inline cudaError_t cudaMemset(void* address, int value, size_t size) {
  void* bytes = malloc(size);
  if (bytes == NULL) return cudaErrorMemoryAllocation;
  memset(bytes, value, size);
  const cudaError_t result = cudaMemcpy(address, bytes, size, cudaMemcpyHostToDevice);
  free(bytes);
  return result;
}
static inline cudaError_t cudaMemsetAsync(void* address, int value, size_t size,
                                          cudaStream_t stream) {
  (void)stream;
  return cudaMemset(address, value, size);
}
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  (void)flags;
  *stream = NULL;
  return cudaSuccess;
}
static inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, 0);
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  (void)stream;
  return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  (void)stream;
  return cudaSuccess;
}
static inline cudaError_t cudaDeviceSynchronize(void) {
  return cudaSuccess;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = (cudaEvent_t)calloc(1, sizeof(**event));
  return cudaSuccess;
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  (void)stream;
  clock_gettime(CLOCK_MONOTONIC, &event->at);
  return cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  (void)event;
  return cudaSuccess;
}
static inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = (float)(to->at.tv_sec - from->at.tv_sec) * 1e3F +
        (float)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6F;
  return cudaSuccess;
}
static inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  free(event);
  return cudaSuccess;
}
static inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
static inline cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}
static inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "an error of the stand-in";
}

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming)
