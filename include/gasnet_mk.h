// GASNet-EX on Gondwana: memory kinds. Ordinary memory, that of devices of vendors
// (GONDWANA_KINDS), and that of emulated devices, a class of Gondwana's own
// (GONDWANA_EMULATED_DEVICES).
#ifndef GONDWANA_GASNET_MK_H
#define GONDWANA_GASNET_MK_H

#include "gasnetex.h"

// The headers of HIP want to know whose devices it drives: AMD's, if the program does not say. The
// first name is of old releases.
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

// Classes of memory: ordinary, and that of devices by the interface that reaches it.
typedef enum {
  GEX_MK_CLASS_HOST,
  GEX_MK_CLASS_CUDA_UVA,
  GEX_MK_CLASS_HIP,
  GEX_MK_CLASS_ZE,
  GONDWANA_MK_CLASS_EMULATED = 64
} gex_MK_Class_t;

// Which memory of its class a kind is. Fields that are not set must be zero.
typedef struct {
  uint64_t gex_flags;  // 0
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
      void* gex_zeContext;           // not used
      uint32_t gex_zeMemoryOrdinal;  // not used
    } gex_class_ze;
    struct {
      int gondwana_device;  // from 0
    } gondwana_class_emulated;
  } gex_args;
} gex_MK_Create_args_t;

// Makes a kind. Local. GASNET_ERR_BAD_ARG for a driver or a device that is not there; flags is 0.
// Memory Kinds, gex_MK_Create.
int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags);

// Destroys a kind that no segment has. Local; flags is 0.
void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags);

// What gex_MK_Create was given.
gex_Client_t gex_MK_QueryClient(gex_MK_t kind);
gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind);
gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind);

// A pointer of the client's, kept with the object; null at first.
void gex_MK_SetCData(gex_MK_t kind, const void* val);
void* gex_MK_QueryCData(gex_MK_t kind);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_MK_H
