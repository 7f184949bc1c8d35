// Replaces the other files of this folder if UCX's headers are missing.
#include "network/ucx/open.hpp"

namespace gondwana::ucx {

Result<std::unique_ptr<network::Endpoint>> open(const network::Settings& /*settings*/,
                                                const network::Receives& /*receives*/) {
  return Error{Errc::missing,
               "this Gondwana was built without UCX; install its headers (libucx-dev on Debian) "
               "and build again, or use libfabric"};
}

}  // namespace gondwana::ucx
