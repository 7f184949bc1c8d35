// Formats the page of `gondwana top --serve`: the text format of Prometheus, version 0.0.4.
#pragma once

#include <string>

#include "observe/jobs/watch.hpp"

namespace gondwana::top {

inline constexpr const char* metrics_type = "text/plain; version=0.0.4; charset=utf-8";

std::string to_metrics(const jobs::JobSeen& job);

}  // namespace gondwana::top
