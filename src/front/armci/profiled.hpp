// The two names of a function: tools may define the ARMCI_ one and call the PARMCI_ one.
#pragma once

#define GONDWANA_PROFILED(name) \
  extern "C" decltype(PARMCI_##name) ARMCI_##name __attribute__((weak, alias("PARMCI_" #name)))
