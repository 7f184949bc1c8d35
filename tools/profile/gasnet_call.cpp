#include "gasnet_call.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace gondwana::profile {

void* find_gasnet_call(const char* name) {
  if (void* next = ::dlsym(RTLD_NEXT, name)) return next;
  // A module that the program loaded may have brought the library, visible to that module only.
  if (void* library = ::dlopen(GONDWANA_GASNET_LIBRARY, RTLD_NOLOAD | RTLD_NOW))
    if (void* next = ::dlsym(library, name)) return next;
  std::fprintf(stderr,
               "gondwana profile: %s: no later library defines it; put "
               "-lgondwana_shmem_profile before -lgondwana_gasnet\n",
               name);
  std::abort();
}

int job_rank(Member peer) {
  static const auto translate =
      gasnet_call<decltype(gex_TM_TranslateRankToJobrank)>("gex_TM_TranslateRankToJobrank");
  return peer.rank < peer.tm->size ? static_cast<int>(translate(peer.tm, peer.rank)) : -1;
}

int job_rank(Sender peer) {
  static const auto ask = gasnet_call<decltype(gex_Token_Info)>("gex_Token_Info");
  gex_Token_Info_t info{};
  ask(peer.token, &info, GEX_TI_SRCRANK);
  return static_cast<int>(info.gex_srcrank);
}

}  // namespace gondwana::profile
