// The sections of the report. A section that detects a fault adds a message to the report's
// problems.
#pragma once

#include "report/info/report.hpp"

namespace gondwana::info {

Section doors();
Section transports(Report& report);
Section devices();
Section ways_to_start(Report& report);
Section machine();
Section topology();
Section limits();
Section pages();

void add_variables(Report& report);

}  // namespace gondwana::info
