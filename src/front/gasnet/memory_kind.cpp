// Kinds of memory. Only host memory is supported. GASNet-EX, Memory Kinds.
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet_mk.h"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags) {
  if (args->gex_class != GEX_MK_CLASS_HOST)
    return refuse(GASNET_ERR_BAD_ARG, "gex_MK_Create",
                  fmt::format("class {}: memory of devices is not supported, only that of the host",
                              static_cast<int>(args->gex_class)));
  *kind_p = new gondwana_gex_memory_kind{client, flags, {}};
  return GASNET_OK;
}

void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t /*flags*/) {
  if (kind != GEX_MK_HOST) delete kind;
}

gex_Client_t gex_MK_QueryClient(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? door().client() : kind->client;
}

gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? 0 : kind->flags;
}

gex_MK_Class_t gex_MK_QueryClass(gex_MK_t /*kind*/) {
  return GEX_MK_CLASS_HOST;
}

void gex_MK_SetCData(gex_MK_t kind, const void* val) {
  if (kind == GEX_MK_HOST)
    give_up("gex_MK_SetCData", "GEX_MK_HOST is everybody's and keeps no pointer of the client's");
  kind->data.value = val;
}

void* gex_MK_QueryCData(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? nullptr : const_cast<void*>(kind->data.value);
}
