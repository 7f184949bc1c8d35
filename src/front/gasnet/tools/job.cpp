#include "front/gasnet/tools/job.hpp"

#include "core/gasnet_variables.hpp"
#include "front/gasnet/tools/environment.hpp"
#include "front/gasnet/tools/freeze.hpp"
#include "front/gasnet/tools/message.hpp"
#include "front/gasnet/tools/signals.hpp"
#include "gasnet_tools.h"

namespace gondwana::gasnet::tools {

void begin_job(std::uint32_t rank, const char* exename) {
  set_rank(rank);
  gasnett_backtrace_init(exename);
  const bool wants_backtrace = reported_switch(backtrace_setting.name);
  const bool wants_freeze = reported_switch(freeze_on_error_setting.name);
  if (wants_backtrace || wants_freeze) catch_crashes();
  if (reported_switch(freeze_setting.name)) freeze();
}

}  // namespace gondwana::gasnet::tools
