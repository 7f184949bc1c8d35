// The table of libraries that carry a job between nodes. A new library adds a folder and a row.
#pragma once

#include <memory>

#include "core/result.hpp"
#include "network/endpoint.hpp"
#include "network/settings.hpp"

namespace gondwana::network {

// Opens the library that the settings name, or else the first one in the table.
Result<std::unique_ptr<Endpoint>> open_endpoint(const Settings& settings, const Receives& receives);

}  // namespace gondwana::network
