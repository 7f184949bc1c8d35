// The row of UCX in the table of networks.
#pragma once

#include <memory>

#include "core/result.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"

namespace gondwana::ucx {

Result<std::unique_ptr<network::Endpoint>> open(const network::Settings& settings,
                                                const network::Receives& receives);

}  // namespace gondwana::ucx
