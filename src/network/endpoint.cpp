#include "network/endpoint.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace gondwana::network {

void Endpoint::refuse() {
  if (++refused_ > 1) return;
  std::fputs(fmt::format("gondwana: the endpoint {} rejected a message that is not of this job, or "
                         "malformed; further ones are only counted, see docs/security.md\n",
                         place())
                 .c_str(),
             stderr);
}

}  // namespace gondwana::network
