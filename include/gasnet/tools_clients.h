// Names outside the specifications that GASNet clients use: Realm takes the address of the two
// functions, Chapel uses the others. Part of gasnet_tools.h.
#ifndef GONDWANA_GASNET_TOOLS_CLIENTS_H
#define GONDWANA_GASNET_TOOLS_CLIENTS_H

GASNETT_BEGIN_EXTERNC

// Have no effect.
void gondwana_gasnett_nothing(void);

GASNETT_END_EXTERNC

#define _gasneti_threadkey_init gondwana_gasnett_nothing
#define _gasnett_trace_printf_noop gondwana_gasnett_nothing

#define gasneti_gethostname gasnett_gethostname
#define GASNETI_MAX_THREADS GASNETT_MAX_THREADS

#endif  // GONDWANA_GASNET_TOOLS_CLIENTS_H
