// `gondwana top --serve`: serves the numbers of a job to Prometheus.
#pragma once

#include <chrono>
#include <string_view>

#include "core/result.hpp"
#include "modules/http/http.hpp"
#include "observe/hosts/job_view.hpp"

namespace gondwana::top {

// Parses "127.0.0.1:9750", "[::1]:9750" or ":9750"; an empty text means the first of these.
Result<http::Address> parse_address(std::string_view text);

// Serves until the job ends, or a signal ends the process.
Result<void> serve(hosts::JobView& job, const http::Address& address,
                   std::chrono::milliseconds interval);

}  // namespace gondwana::top
