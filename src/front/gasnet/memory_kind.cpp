// Kinds of memory: host memory, vendor devices and emulated devices. GASNet-EX, Memory Kinds.
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet_mk.h"

namespace gondwana::gasnet {
namespace {

Result<Kind*> find_by_number(Kinds& kinds, KindId kind, int device) {
  if (device >= 0) return kinds.find({kind, static_cast<std::uint32_t>(device)});
  const std::string why = fmt::format("device {}: expected 0 or more", device);
  if (kind != KindId::emulated) give_up("gex_MK_Create", why);
  return Error{Errc::invalid_argument, why};
}

// The device that the client names; null: host memory.
Result<Kind*> find_device(gex_Client_t client, const gex_MK_Create_args_t& args) {
  Kinds& kinds = client->door->engine().kinds();
  switch (args.gex_class) {
    case GEX_MK_CLASS_HOST:
      return nullptr;
    case GEX_MK_CLASS_CUDA_UVA:
      return find_by_number(kinds, KindId::cuda, args.gex_args.gex_class_cuda_uva.gex_CUdevice);
    case GEX_MK_CLASS_HIP:
      return find_by_number(kinds, KindId::hip, args.gex_args.gex_class_hip.gex_hipDevice);
    case GEX_MK_CLASS_ZE:
      return kinds.find(KindId::ze, args.gex_args.gex_class_ze.gex_zeDevice);
    case GONDWANA_MK_CLASS_EMULATED:
      return find_by_number(kinds, KindId::emulated,
                            args.gex_args.gondwana_class_emulated.gondwana_device);
  }
  return Error{Errc::invalid_argument,
               fmt::format("{} is not a class of memory", static_cast<int>(args.gex_class))};
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags) {
  constexpr auto call = "gex_MK_Create";
  if (kind_p == nullptr || client == GEX_CLIENT_INVALID || args == nullptr)
    give_up(call, "the client, args or kind_p is null");
  if (client->door->has_everything() && args->gex_class != GEX_MK_CLASS_HOST)
    return refuse(GASNET_ERR_BAD_ARG, call,
                  "GASNET_SEGMENT_EVERYTHING: peers reach host memory only; use a library with "
                  "segments (gasnet-smp-par)");
  const gondwana::Result<gondwana::Kind*> device = find_device(client, *args);
  if (!device) return refuse(GASNET_ERR_BAD_ARG, call, device.error().text);
  *kind_p = new gondwana_gex_memory_kind{client, flags, args->gex_class, *device};
  return GASNET_OK;
}

void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t /*flags*/) {
  if (kind == GEX_MK_HOST) return;
  if (const std::uint32_t segments = kind->segments; segments > 0)
    give_up("gex_MK_Destroy",
            fmt::format("{} segments of this kind still exist; destroy them first", segments));
  delete kind;
}

gex_Client_t gex_MK_QueryClient(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? door().client() : kind->client;
}

gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? 0 : kind->flags;
}

gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? GEX_MK_CLASS_HOST : kind->memory_class;
}

void gex_MK_SetCData(gex_MK_t kind, const void* val) {
  if (kind == GEX_MK_HOST)
    give_up("gex_MK_SetCData", "GEX_MK_HOST is shared by all clients and stores no client pointer");
  kind->data.value = val;
}

void* gex_MK_QueryCData(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? nullptr : const_cast<void*>(kind->data.value);
}
