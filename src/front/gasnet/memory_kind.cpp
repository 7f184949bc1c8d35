// Kinds of memory: that of the host, and of emulated devices. GASNet-EX, Memory Kinds.
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet_mk.h"

namespace gondwana::gasnet {
namespace {

// What the client wants a kind of; null: host memory.
Result<Kind*> find_device(gex_Client_t client, const gex_MK_Create_args_t& args) {
  if (args.gex_class == GEX_MK_CLASS_HOST) return nullptr;
  if (args.gex_class != GONDWANA_MK_CLASS_EMULATED)
    return Error{
        Errc::invalid_argument,
        fmt::format("class {}: memory of devices of this class is not supported, only that "
                    "of the host and of emulated devices",
                    static_cast<int>(args.gex_class))};
  const int device = args.gex_args.gondwana_class_emulated.gondwana_device;
  if (device < 0)
    return Error{Errc::invalid_argument,
                 fmt::format("device {}: devices have numbers from 0", device)};
  return client->door->engine().kinds().find(
      {KindId::emulated, static_cast<std::uint32_t>(device)});
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags) {
  constexpr auto call = "gex_MK_Create";
  if (kind_p == nullptr || client == GEX_CLIENT_INVALID || args == nullptr)
    give_up(call, "the client, the arguments or the place for the result is null");
  const gondwana::Result<gondwana::Kind*> device = find_device(client, *args);
  if (!device) return refuse(GASNET_ERR_BAD_ARG, call, device.error().text);
  *kind_p = new gondwana_gex_memory_kind{client, flags, args->gex_class, *device};
  return GASNET_OK;
}

void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t /*flags*/) {
  if (kind == GEX_MK_HOST) return;
  if (const std::uint32_t segments = kind->segments; segments > 0)
    give_up("gex_MK_Destroy",
            fmt::format("{} segments of this kind are left; destroy them first", segments));
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
    give_up("gex_MK_SetCData", "GEX_MK_HOST is everybody's and keeps no pointer of the client's");
  kind->data.value = val;
}

void* gex_MK_QueryCData(gex_MK_t kind) {
  return kind == GEX_MK_HOST ? nullptr : const_cast<void*>(kind->data.value);
}
