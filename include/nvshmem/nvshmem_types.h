/*
 * Types and constants of NVSHMEM's host API. Values, sizes and the order of members are those of
 * NVSHMEM 3.5.
 */
#ifndef GONDWANA_NVSHMEM_TYPES_H
#define GONDWANA_NVSHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Programs get streams and half precision from nvshmem.h, which includes CUDA's headers if the
 * compiler finds them. Otherwise a stream is a null pointer, and a half-precision number is a word
 * that can be copied and reduced.
 */
#ifndef GONDWANA_NVSHMEM_WITHOUT_CUDA
#if defined(__has_include)
#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#endif
#if defined(__cplusplus) && __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define GONDWANA_NVSHMEM_HAS_HALF 1
#endif
#endif
#endif
typedef struct CUstream_st* cudaStream_t;
typedef struct CUmod_st* CUmodule;
typedef struct CUlib_st* CUlibrary;
#ifndef GONDWANA_NVSHMEM_HAS_HALF
typedef struct {
  uint16_t bits;
} half;
typedef struct {
  uint16_t bits;
} __nv_bfloat16; /* NOLINT: CUDA's name */
#endif

#define NVSHMEM_MAJOR_VERSION 1
#define NVSHMEM_MINOR_VERSION 3
#define NVSHMEM_VENDOR_MAJOR_VERSION 3
#define NVSHMEM_VENDOR_MINOR_VERSION 5
#define NVSHMEM_VENDOR_PATCH_VERSION 1
#define NVSHMEM_VENDOR_STRING "Gondwana, with the host API of NVSHMEM v3.5.1"
#define NVSHMEM_MAX_NAME_LEN 256
/* Needs stdio.h. Used by NVSHMEM's own programs. */
#define NVSHMEMI_ERROR_PRINT(...) fprintf(stderr, __VA_ARGS__)
/* Defined by this library only, for programs that must distinguish it. */
#define GONDWANA_NVSHMEM 1

enum {
  NVSHMEM_THREAD_SINGLE = 0,
  NVSHMEM_THREAD_FUNNELED = 1,
  NVSHMEM_THREAD_SERIALIZED = 2,
  NVSHMEM_THREAD_MULTIPLE = 3
};

enum {
  NVSHMEM_CMP_EQ = 0,
  NVSHMEM_CMP_NE = 1,
  NVSHMEM_CMP_GT = 2,
  NVSHMEM_CMP_LE = 3,
  NVSHMEM_CMP_LT = 4,
  NVSHMEM_CMP_GE = 5
};

enum { NVSHMEM_SIGNAL_SET = 9, NVSHMEM_SIGNAL_ADD = 10 };

typedef enum {
  NVSHMEMX_SUCCESS = 0,
  NVSHMEMX_ERROR_INVALID_VALUE = 1,
  NVSHMEMX_ERROR_OUT_OF_MEMORY = 2,
  NVSHMEMX_ERROR_NOT_SUPPORTED = 3,
  NVSHMEMX_ERROR_SYMMETRY = 4,
  NVSHMEMX_ERROR_GPU_NOT_SELECTED = 5,
  NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED = 6,
  NVSHMEMX_ERROR_INTERNAL = 7
} nvshmemx_status;

/* Results of nvshmemx_init_status. IS_INITIALIZED: after the first allocation. */
enum {
  NVSHMEM_STATUS_NOT_INITIALIZED = 0,
  NVSHMEM_STATUS_IS_BOOTSTRAPPED = 1,
  NVSHMEM_STATUS_IS_INITIALIZED = 2,
  NVSHMEM_STATUS_LIMITED_MPG = 3,
  NVSHMEM_STATUS_FULL_MPG = 4
};

/* SAME_MYPE_NODE: the PEs with the caller's number on their node. */
typedef int32_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;
enum {
  NVSHMEM_TEAM_INVALID = -1,
  NVSHMEM_TEAM_WORLD = 0,
  NVSHMEM_TEAM_WORLD_INDEX = 0,
  NVSHMEM_TEAM_SHARED = 1,
  NVSHMEM_TEAM_SHARED_INDEX = 1,
  NVSHMEMX_TEAM_NODE = 2,
  NVSHMEM_TEAM_NODE_INDEX = 2,
  NVSHMEMX_TEAM_SAME_MYPE_NODE = 3,
  NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX = 3,
  NVSHMEM_TEAMS_MIN = 6
};

typedef uint64_t nvshmemx_team_uniqueid_t;
typedef struct {
  int version;
  int num_contexts;
  nvshmemx_team_uniqueid_t uniqueid;
  char padding[48];
} nvshmem_team_config_t;
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS 1
#define NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID 2
#define NVSHMEM_TEAM_CONFIG_INITIALIZER \
  {(2 << 16) + (int)sizeof(nvshmem_team_config_t), -1, ~(uint64_t)0, {0}}

enum {
  NVSHMEMX_INIT_THREAD_PES = 1,
  NVSHMEMX_INIT_WITH_MPI_COMM = 2,
  NVSHMEMX_INIT_WITH_SHMEM = 4,
  NVSHMEMX_INIT_WITH_UNIQUEID = 8
};

typedef struct {
  int version;
  char internal[124];
} nvshmemx_uniqueid_t;

typedef struct {
  int version;
  nvshmemx_uniqueid_t* id;
  int myrank;
  int nranks;
} nvshmemx_uniqueid_args_t;

typedef struct {
  int version;
  nvshmemx_uniqueid_args_t uid_args;
  int cuda_device_id;
  char content[92];
} nvshmemx_init_args_t;

/* mpi_comm: the address of an MPI_Comm. */
typedef struct {
  int version;
  void* mpi_comm;
  nvshmemx_init_args_t args;
} nvshmemx_init_attr_t;

#define NVSHMEMX_UNIQUEID_INITIALIZER {(1 << 16) + (int)sizeof(nvshmemx_uniqueid_t), {0}}
#define NVSHMEMX_INIT_ATTR_INITIALIZER                                             \
  {                                                                                \
    (2 << 16) + (int)sizeof(nvshmemx_init_attr_t), NULL, {                         \
      (2 << 16) + (int)sizeof(nvshmemx_init_args_t),                               \
          {(1 << 16) + (int)sizeof(nvshmemx_uniqueid_args_t), NULL, 0, 0}, -1, {0} \
    }                                                                              \
  }

#endif /* GONDWANA_NVSHMEM_TYPES_H */
