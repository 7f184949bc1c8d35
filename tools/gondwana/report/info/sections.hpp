// The parts of the report, each gathered by itself. Those that can find something wrong add a
// sentence to the report's problems.
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
