// Replaces the other files of this folder if libfabric's headers are missing.
#include "network/ofi/open.hpp"

namespace gondwana::ofi {

Result<std::unique_ptr<network::Endpoint>> open(const network::Settings& /*settings*/,
                                                const network::Receives& /*receives*/) {
  return Error{Errc::missing,
               "this Gondwana was built without libfabric, which carries jobs on several nodes; "
               "install its headers (libfabric-dev on Debian) and build again"};
}

}  // namespace gondwana::ofi
