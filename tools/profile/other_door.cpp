// A program of GASNet-EX alone makes none of the calls that are counted. It is told so at its end,
// in place of nothing. Its calls have no second names, and puts and gets on a node are inlined.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "profile.hpp"

namespace gondwana::profile {
namespace {

constinit pid_t this_rank = 0;  // a forked child is none

bool is_first_rank() {
  const char* rank = std::getenv("GONDWANA_RANK");
  return rank != nullptr && std::string_view(rank) == "0" && this_rank == ::getpid();
}

bool has_gasnet() {
  return ::dlsym(RTLD_DEFAULT, GONDWANA_GASNET_MARK) != nullptr;
}

void at_exit(int status, void* /*unused*/) {
  if (status != 0 || Profile::instance().was_entered() || !is_first_rank() || !has_gasnet()) return;
  std::fputs(
      "gondwana profile: the program called no OpenSHMEM routine, and those of GASNet-EX are not "
      "counted; perf record shows where its time goes\n",
      stderr);
}

[[gnu::constructor]] void listen() {
  this_rank = ::getpid();
  ::on_exit(at_exit, nullptr);
}

}  // namespace
}  // namespace gondwana::profile
