#include "front/gasnet/tools/job.hpp"

#include "front/gasnet/tools/environment.hpp"
#include "front/gasnet/tools/signals.hpp"
#include "gasnet_tools.h"
#include "process/message.hpp"

namespace gondwana::gasnet::tools {

void begin_job(std::uint32_t rank, const char* exename) {
  set_own_rank(rank);
  gasnett_backtrace_init(exename);
  // acquire_engine() acts on these variables. The door only reports them.
  for (const VariableId id : {VariableId::gondwana_backtrace, VariableId::gondwana_freeze_on_error,
                              VariableId::gondwana_freeze})
    report(id);
}

}  // namespace gondwana::gasnet::tools
