// `gondwana top --serve`: the numbers of a job as a page for Prometheus.
#pragma once

#include <chrono>
#include <string_view>

#include "core/result.hpp"
#include "modules/http/http.hpp"
#include "observe/hosts/job_view.hpp"

namespace gondwana::top {

// "127.0.0.1:9750", "[::1]:9750", ":9750"; empty: the first of these.
Result<http::Address> parse_address(std::string_view text);

// Until the job ends, or the process is told to end.
Result<void> serve(hosts::JobView& job, const http::Address& address,
                   std::chrono::milliseconds interval);

}  // namespace gondwana::top
