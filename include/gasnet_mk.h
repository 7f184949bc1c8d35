// GASNet-EX on Gondwana: memory kinds. These are host memory, vendor devices (GONDWANA_KINDS), and
// emulated devices, an additional class of Gondwana (GONDWANA_EMULATED_DEVICES).
#ifndef GONDWANA_GASNET_MK_H
#define GONDWANA_GASNET_MK_H

#include "gasnetex.h"

// HIP's headers must know whose devices HIP drives. AMD is assumed unless the program defines it.
// The first name is that of old releases.
#if defined(GASNET_HAVE_MK_CLASS_HIP) && !defined(__HIP_PLATFORM_NVIDIA__) && \
    !defined(__HIP_PLATFORM_NVCC__)
#ifndef __HIP_PLATFORM_HCC__
#define __HIP_PLATFORM_HCC__ 1
#endif
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Classes of memory: host memory, and device memory by the interface that accesses it.
typedef enum {
  GEX_MK_CLASS_HOST,
  GEX_MK_CLASS_CUDA_UVA,
  GEX_MK_CLASS_HIP,
  GEX_MK_CLASS_ZE,
  GONDWANA_MK_CLASS_EMULATED = 64
} gex_MK_Class_t;

// Selects a memory of the class. Set unused fields to zero.
typedef struct {
  uint64_t gex_flags;  // must be 0
  gex_MK_Class_t gex_class;
  union {
    struct {
      int gex_CUdevice;
    } gex_class_cuda_uva;
    struct {
      int gex_hipDevice;
    } gex_class_hip;
    struct {
      void* gex_zeDevice;
      void* gex_zeContext;           // unused
      uint32_t gex_zeMemoryOrdinal;  // unused
    } gex_class_ze;
    struct {
      int gondwana_device;  // device number, from 0
    } gondwana_class_emulated;
  } gex_args;
} gex_MK_Create_args_t;

// Creates a kind. Local. Returns GASNET_ERR_BAD_ARG if the driver or the device does not exist.
// flags is 0. Memory Kinds, gex_MK_Create.
int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags);

// Destroys a kind without segments. Local. flags is 0.
void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags);

// The arguments of gex_MK_Create.
gex_Client_t gex_MK_QueryClient(gex_MK_t kind);
gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind);
gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind);

// A pointer of the client, stored in the object; initially null.
void gex_MK_SetCData(gex_MK_t kind, const void* val);
void* gex_MK_QueryCData(gex_MK_t kind);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_MK_H
