// The libraries that can carry a job between nodes, in a table. A new one is a folder and a row.
#pragma once

#include <memory>

#include "core/result.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"

namespace gondwana::network {

// Over the library that the settings name; else over the first one in the table that can be loaded.
Result<std::unique_ptr<Endpoint>> open_endpoint(const Settings& settings, const Receives& receives);

}  // namespace gondwana::network
