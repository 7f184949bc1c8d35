#include "front/nvshmem/say.hpp"

#include <cstdio>
#include <cstdlib>

#include "shmem.h"

namespace gondwana::nvshmem {

void tell(const char* call, const std::string& why) {
  int is_running = 0;
  shmem_query_initialized(&is_running);
  const std::string here = is_running != 0 ? "rank " + std::to_string(shmem_my_pe()) + ": " : "";
  std::fprintf(stderr, "gondwana: %s%s: %s\n", here.c_str(), call, why.c_str());
}

void give_up(const char* call, const std::string& why) {
  tell(call, why);
  int is_running = 0;
  shmem_query_initialized(&is_running);
  if (is_running != 0) shmem_global_exit(1);
  std::exit(1);
}

}  // namespace gondwana::nvshmem
